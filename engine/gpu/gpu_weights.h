// SPDX-License-Identifier: MIT
// A model's weights in the memory of a graphics processor, packed as in the file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/model/weights.h"
#include "kernels/dtype.h"
#include "kernels/kernel_table.h"
#include "kernels/vulkan/gpu.h"

namespace confab::kernels {
class ThreadPool;
}

namespace confab::engine {

// Splits rows of blocks into planes: first the codes of all blocks of a row, then all their scales.
// Blocks of some types have sizes such as 34 or 210 bytes and start at odd places, so that a
// graphics processor can only read two bytes at a time. It reads sixteen at a time from planes.
struct RowPlanes {
  std::uint32_t format;  // numbered as in kernels/vulkan/shaders/formats.glsl
  std::size_t row_bytes;
  std::size_t stride;    // bytes from row to row of the split rows
  std::size_t n_blocks;  // in a row
  // bytes of a block that go to each plane, in their order in the block
  std::array<std::size_t, 4> parts;

  // Returns the planes for types that benefit and rows whose planes start at multiples of 16 bytes.
  // Rows may be padded to achieve that, by at most a 63rd of their size (Q6_K with 768 columns).
  // Otherwise returns nullopt.
  static std::optional<RowPlanes> of(const kernels::WeightRows& rows);
  // Splits whole rows. `to` must have room for `stride` bytes per row.
  void take_apart(std::span<const std::byte> rows, std::byte* to) const noexcept;
};

// Copies bytes into the memory of a graphics processor. While the device copies one half of the
// staging memory, the next bytes are read into the other half.
class WeightsUpload {
 public:
  static constexpr std::size_t kStagingBytes = std::size_t{32} << 20;

  // `team` reads in parallel; if it is nullptr, the calling thread reads. on_read is called with
  // the number of bytes just read, at most half of the staging memory; exceptions it throws leave
  // put(). gpu and team must outlive the object.
  WeightsUpload(kernels::vulkan::Gpu& gpu, kernels::ThreadPool* team,
                std::function<void(std::size_t)> on_read)
      : gpu_(gpu), team_(team), on_read_(std::move(on_read)) {}
  // Waits for the device to finish copying.
  ~WeightsUpload();
  WeightsUpload(const WeightsUpload&) = delete;
  WeightsUpload& operator=(const WeightsUpload&) = delete;

  // When it returns, the bytes have been read. They are in place after finish(), and `to` must live
  // until then. If `planes` is given, the bytes are rows, which are split on the way. Throws
  // GpuError.
  void put(std::span<const std::byte> bytes, const RowPlanes* planes,
           const kernels::vulkan::Buffer& to, std::size_t offset);
  // Completes all copies and frees the staging memory. Throws GpuError.
  void finish();

 private:
  static constexpr std::size_t kHalfBytes = kStagingBytes / 2;

  void read(std::span<const std::byte> bytes, const RowPlanes* planes, std::byte* to);
  void hand_over();

  kernels::vulkan::Gpu& gpu_;
  kernels::ThreadPool* team_;
  std::function<void(std::size_t)> on_read_;
  kernels::vulkan::Buffer staging_;
  std::array<std::optional<kernels::vulkan::Commands>, 2> copies_;  // one for each half
  std::size_t filled_ = 0;                                          // the half that is being filled
  std::size_t n_used_ = 0;                                          // bytes used in that half
};

// A Matrix on the device. n_rows == 0 means that the model has no such matrix. Addresses are device
// addresses; 0 means absent.
struct GpuMatrix {
  kernels::Dtype dtype{};
  std::uint32_t format = 0;  // numbered as in formats.glsl: a type, or a type split into planes
  std::uint64_t data = 0;
  std::uint64_t bias = 0;  // [n_rows]; for experts [n_expert, n_rows]
  std::uint64_t grid = 0;  // for formats with a grid, laid out as in kernels/iq_grids.h
  std::uint32_t n_rows = 0;
  std::uint32_t n_cols = 0;
  std::uint32_t row_bytes = 0;
  float scale = 1;
  std::uint64_t expert_bytes = 0;  // distance from one expert's matrix to the next

  std::uint64_t n_bytes() const noexcept { return std::uint64_t{row_bytes} * n_rows; }
  // Whether its products read activations as floats instead of signed bytes.
  bool reads_floats() const noexcept;
};

struct GpuNorm {
  std::uint64_t weight = 0;
  std::uint64_t bias = 0;
};

struct UploadOptions {
  // Called with the bytes read so far and the approximate total. An exception ends the upload.
  std::function<void(std::uint64_t, std::uint64_t)> progress = {};
  // Allows a device that shares the processor's memory to read large matrices directly from the
  // mapped file, if its driver supports that. The file must then outlive the weights.
  bool may_import = false;
  kernels::ThreadPool* team = nullptr;  // reads the bytes to be copied; nullptr: this thread does
};

class GpuWeights {
 public:
  // gpu must outlive the object. n_bytes is the approximate total that will be put.
  GpuWeights(kernels::vulkan::Gpu& gpu, std::uint64_t n_bytes, const UploadOptions& options = {});

  // Returns the place of these bytes on the device. The first call for a matrix copies it; the copy
  // is complete after finish(). Throws GpuError.
  GpuMatrix put(const Matrix& matrix);
  // Places the experts' matrices one after the other, wherever they are in the file. The result has
  // the scale of the first.
  GpuMatrix put(std::span<const Matrix> experts);
  GpuNorm put(const Norm& norm, std::int64_t n);
  std::uint64_t put(const float* values, std::int64_t n);  // returns 0 for nullptr
  // for values that do not live until finish()
  std::uint64_t put_copy(std::span<const float> values);

  // Call after the last put(). Completes all copies and frees what copying needed. Throws GpuError.
  void finish();

  std::uint64_t n_bytes() const noexcept { return n_put_; }
  std::uint64_t imported_bytes() const noexcept { return n_imported_; }
  // Whether all matrices are imported. Ignores vectors and matrices too small to import.
  bool are_imported() const noexcept { return n_put_ - n_imported_ <= n_put_ / 64; }

  // About how much device memory n_bytes of matrices need, including vectors, unused ends of
  // arenas, and the staging memory that is needed while they are copied.
  static std::uint64_t device_bytes(std::uint64_t n_bytes) noexcept;

 private:
  struct Place {
    std::uint64_t address;
    std::size_t n_bytes;
    bool is_imported;  // then rows are as in the file; otherwise they may be split into planes
  };
  GpuMatrix start(const Matrix& matrix);
  std::uint64_t put(std::span<const std::byte> bytes);
  // If `planes` is given, the bytes are rows; they are split on the way and take n_there bytes on
  // the device.
  std::uint64_t put(std::span<const std::byte> bytes, std::size_t n_there, const RowPlanes* planes);
  // Returns an offset in the last arena, after adding an arena if necessary.
  std::size_t make_room(std::size_t n_bytes);
  // Returns 0 if the bytes must be copied or have been copied already.
  std::uint64_t import(std::span<const std::byte> bytes);
  void count(std::size_t n_bytes);
  std::uint64_t address(std::size_t offset) const { return arenas_.back().address() + offset; }

  kernels::vulkan::Gpu& gpu_;
  UploadOptions options_;
  std::uint64_t n_expected_;
  std::uint64_t n_put_ = 0, n_imported_ = 0;
  std::vector<kernels::vulkan::Buffer> arenas_;
  std::size_t n_used_ = 0;  // in the last arena
  std::vector<kernels::vulkan::Buffer> imported_;
  std::map<const void*, Place> places_;
  WeightsUpload upload_;  // last member, because it may still be copying into the others
};

}  // namespace confab::engine
