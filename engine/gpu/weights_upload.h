// SPDX-License-Identifier: MIT
// Bytes on their way into the memory of a graphics processor: while the device copies those that
// are in one half of the staging memory, the next ones are read into the other half.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "engine/gpu/row_planes.h"
#include "kernels/vulkan/gpu.h"

namespace confab::kernels {
class ThreadPool;
}

namespace confab::engine {

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

}  // namespace confab::engine
