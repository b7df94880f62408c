// SPDX-License-Identifier: MIT
// The weights of a model in the memory of a graphics processor, packed as they are in the file.
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

// Rows of blocks taken apart: the codes of all blocks of a row, then all their scales. The blocks
// of some types begin at odd places (34 and 210 bytes), which a graphics processor reads two bytes
// at a time; their planes it reads sixteen at a time.
struct RowPlanes {
  std::uint32_t format;  // as kernels/vulkan/shaders/formats.glsl has it
  std::size_t row_bytes;
  std::size_t stride;                // from row to row once they are apart
  std::size_t n_blocks;              // of a row
  std::array<std::size_t, 4> parts;  // bytes of a block that go to each plane, in their order

  // For types that gain by it, where each row's planes begin at a multiple of 16 bytes, or would
  // with a few bytes more to a row: at most a 63rd (Q6_K of 768 columns).
  static std::optional<RowPlanes> of(const kernels::WeightRows& rows);
  // Whole rows; `to` has room for as many, `stride` bytes each.
  void take_apart(std::span<const std::byte> rows, std::byte* to) const noexcept;
};

// Bytes on their way into the memory of a graphics processor: while the device copies those that
// are in one half of the staging memory, the next ones are read into the other half.
class WeightsUpload {
 public:
  static constexpr std::size_t kStagingBytes = std::size_t{32} << 20;

  // team: reads in parts side by side; nullptr: this thread reads. on_read: called with the number
  // of bytes, at most half of the staging memory, that have been read; what it throws goes through
  // put(). gpu and team must outlive the object.
  WeightsUpload(kernels::vulkan::Gpu& gpu, kernels::ThreadPool* team,
                std::function<void(std::size_t)> on_read)
      : gpu_(gpu), team_(team), on_read_(std::move(on_read)) {}
  // Waits for what the device copies.
  ~WeightsUpload();
  WeightsUpload(const WeightsUpload&) = delete;
  WeightsUpload& operator=(const WeightsUpload&) = delete;

  // The bytes have been read when it returns, and are at their place after finish(), until which
  // `to` must live. planes: they are rows, which are taken apart on their way; nullptr: they stay
  // as they are. Throws GpuError.
  void put(std::span<const std::byte> bytes, const RowPlanes* planes,
           const kernels::vulkan::Buffer& to, std::size_t offset);
  // All is there, and the staging memory given back. Throws GpuError.
  void finish();

 private:
  static constexpr std::size_t kHalfBytes = kStagingBytes / 2;

  void read(std::span<const std::byte> bytes, const RowPlanes* planes, std::byte* to);
  void hand_over();

  kernels::vulkan::Gpu& gpu_;
  kernels::ThreadPool* team_;
  std::function<void(std::size_t)> on_read_;
  kernels::vulkan::Buffer staging_;
  std::array<std::optional<kernels::vulkan::Commands>, 2> copies_;  // of each half
  std::size_t filled_ = 0;                                          // the half that is filled now
  std::size_t n_used_ = 0;                                          // bytes of it
};

// A Matrix of the device; n_rows == 0: there is none. Addresses are the device's, 0: there is none.
struct GpuMatrix {
  kernels::Dtype dtype{};
  std::uint32_t format = 0;  // as formats.glsl has it: a type, or one of its forms by planes
  std::uint64_t data = 0;
  std::uint64_t bias = 0;  // [n_rows], of experts [n_expert, n_rows]
  std::uint64_t grid = 0;  // of formats that have one: as kernels/iq_grids.h has it
  std::uint32_t n_rows = 0;
  std::uint32_t n_cols = 0;
  std::uint32_t row_bytes = 0;
  float scale = 1;
  std::uint64_t expert_bytes = 0;  // from one expert's matrix to the next one's

  std::uint64_t n_bytes() const noexcept { return std::uint64_t{row_bytes} * n_rows; }
  // Whether it is multiplied by floats, and not by signed bytes.
  bool reads_floats() const noexcept;
};

struct GpuNorm {
  std::uint64_t weight = 0;
  std::uint64_t bias = 0;
};

struct UploadOptions {
  // Called with the bytes that have been read, of how many about. What it throws ends the upload.
  std::function<void(std::uint64_t, std::uint64_t)> progress = {};
  // Large matrices are read where they are, in the mapped file, by a device that shares the
  // processor's memory, where its driver takes that. They must outlive the weights then.
  bool may_import = false;
  kernels::ThreadPool* team = nullptr;  // that reads what is copied; nullptr: this thread
};

class GpuWeights {
 public:
  // gpu must outlive the object. n_bytes: about as many as will be put.
  GpuWeights(kernels::vulkan::Gpu& gpu, std::uint64_t n_bytes, const UploadOptions& options = {});

  // The place of the same bytes on the device, where they are copied when they are first asked for;
  // they are there after finish(). Throws GpuError.
  GpuMatrix put(const Matrix& matrix);
  // Of experts, one after the other, wherever they are in the file; with the scale of the first.
  GpuMatrix put(std::span<const Matrix> experts);
  GpuNorm put(const Norm& norm, std::int64_t n);
  std::uint64_t put(const float* values, std::int64_t n);  // nullptr: 0
  std::uint64_t put_copy(std::span<const float> values);   // of what is not there for long

  // Nothing more is put: all is there, and what copying took given back. Throws GpuError.
  void finish();

  std::uint64_t n_bytes() const noexcept { return n_put_; }
  std::uint64_t imported_bytes() const noexcept { return n_imported_; }
  // But for vectors, and matrices too small for it.
  bool are_imported() const noexcept { return n_put_ - n_imported_ <= n_put_ / 64; }

  // What so many bytes of matrices take of the device's memory, about, with vectors and what is
  // left over of each piece of memory; while they are copied, the staging memory as well.
  static std::uint64_t device_bytes(std::uint64_t n_bytes) noexcept;

 private:
  struct Place {
    std::uint64_t address;
    std::size_t n_bytes;
    bool is_imported;  // rows are then as in the file; else they may have been taken apart
  };
  GpuMatrix start(const Matrix& matrix);
  std::uint64_t put(std::span<const std::byte> bytes);
  // planes: rows, which are taken apart on their way and have n_there bytes then; or nullptr.
  std::uint64_t put(std::span<const std::byte> bytes, std::size_t n_there, const RowPlanes* planes);
  // Where the last arena has room for them.
  std::size_t make_room(std::size_t n_bytes);
  // 0: they have to be copied, or are.
  std::uint64_t import(std::span<const std::byte> bytes);
  void count(std::size_t n_bytes);
  std::uint64_t address(std::size_t offset) const { return arenas_.back().address() + offset; }

  kernels::vulkan::Gpu& gpu_;
  UploadOptions options_;
  std::uint64_t n_expected_;
  std::uint64_t n_put_ = 0, n_imported_ = 0;
  std::vector<kernels::vulkan::Buffer> arenas_;
  std::size_t n_used_ = 0;  // of the last arena
  std::vector<kernels::vulkan::Buffer> imported_;
  std::map<const void*, Place> places_;
  WeightsUpload upload_;  // last: it may copy to the others
};

}  // namespace confab::engine
