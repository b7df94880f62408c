// SPDX-License-Identifier: MIT
// The weights of a model in the memory of a graphics processor, packed as they are in the file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "engine/gpu/row_planes.h"
#include "engine/gpu/weights_upload.h"
#include "engine/model/weights.h"
#include "kernels/dtype.h"
#include "kernels/vulkan/gpu.h"

namespace confab::kernels {
class ThreadPool;
}

namespace confab::engine {

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
