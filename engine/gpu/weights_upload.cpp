// SPDX-License-Identifier: MIT
#include "engine/gpu/weights_upload.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace confab::engine {

using kernels::vulkan::Buffer;
using kernels::vulkan::Commands;
using kernels::vulkan::GpuError;
using kernels::vulkan::Memory;

WeightsUpload::~WeightsUpload() {
  try {
    gpu_.wait();
  } catch (const GpuError&) {  // whoever uses the device next is told
  }
}

void WeightsUpload::put(std::span<const std::byte> bytes, const RowPlanes* planes, const Buffer& to,
                        std::size_t offset) {
  const std::size_t unit = planes == nullptr ? 1 : planes->row_bytes;
  assert(unit <= kHalfBytes && bytes.size() % unit == 0);
  if (staging_.size() == 0) staging_ = gpu_.allocate(kStagingBytes, Memory::upload);
  while (!bytes.empty()) {
    const std::size_t n = std::min(kHalfBytes - n_used_, bytes.size()) / unit * unit;
    if (n == 0) {
      hand_over();
      continue;
    }
    const std::size_t at = filled_ * kHalfBytes + n_used_;
    if (planes == nullptr)
      std::memcpy(staging_.data() + at, bytes.data(), n);
    else
      planes->take_apart(bytes.first(n), staging_.data() + at);
    std::optional<Commands>& copies = copies_[filled_];
    if (!copies) copies.emplace(gpu_);
    copies->copy(staging_, at, to, offset, n);
    n_used_ += n;
    offset += n;
    bytes = bytes.subspan(n);
    on_read_(n);
  }
}

// The device copies one half at a time, so that the other one is free when it begins.
void WeightsUpload::hand_over() {
  copies_[filled_]->end();
  gpu_.wait();
  gpu_.submit(*copies_[filled_]);
  filled_ = 1 - filled_;
  copies_[filled_].reset();
  n_used_ = 0;
}

void WeightsUpload::finish() {
  if (n_used_ > 0) hand_over();
  gpu_.wait();
  for (std::optional<Commands>& copies : copies_) copies.reset();
  staging_ = {};
}

}  // namespace confab::engine
