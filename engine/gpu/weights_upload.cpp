// SPDX-License-Identifier: MIT
#include "engine/gpu/weights_upload.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "kernels/thread_pool.h"

namespace confab::engine {

using kernels::vulkan::Buffer;
using kernels::vulkan::Commands;
using kernels::vulkan::GpuError;
using kernels::vulkan::Memory;

namespace {

constexpr std::size_t kPartBytes = std::size_t{256} << 10;  // that a thread reads at once

// What is read whole, and what it takes on the device.
struct Unit {
  std::size_t n_read = 1, n_written = 1;

  explicit Unit(const RowPlanes* planes) {
    if (planes != nullptr) *this = Unit(planes->row_bytes, planes->stride);
  }
  Unit(std::size_t read, std::size_t written) : n_read(read), n_written(written) {}
};

}  // namespace

WeightsUpload::~WeightsUpload() {
  try {
    gpu_.wait();
  } catch (const GpuError&) {  // whoever uses the device next is told
  }
}

void WeightsUpload::put(std::span<const std::byte> bytes, const RowPlanes* planes, const Buffer& to,
                        std::size_t offset) {
  const Unit unit(planes);
  assert(unit.n_written <= kHalfBytes && bytes.size() % unit.n_read == 0);
  if (staging_.size() == 0) staging_ = gpu_.allocate(kStagingBytes, Memory::upload);
  while (!bytes.empty()) {
    const std::size_t n =
        std::min((kHalfBytes - n_used_) / unit.n_written, bytes.size() / unit.n_read);
    if (n == 0) {
      hand_over();
      continue;
    }
    const std::size_t at = filled_ * kHalfBytes + n_used_;
    read(bytes.first(n * unit.n_read), planes, staging_.data() + at);
    std::optional<Commands>& copies = copies_[filled_];
    if (!copies) copies.emplace(gpu_);
    copies->copy(staging_, at, to, offset, n * unit.n_written);
    n_used_ += n * unit.n_written;
    offset += n * unit.n_written;
    bytes = bytes.subspan(n * unit.n_read);
    on_read_(n * unit.n_read);
  }
}

// One thread neither copies nor waits for a disk as fast as a device is fed.
void WeightsUpload::read(std::span<const std::byte> bytes, const RowPlanes* planes, std::byte* to) {
  const Unit unit(planes);
  const std::size_t n_part = std::max(kPartBytes / unit.n_read, std::size_t{1}) * unit.n_read;
  const auto read_part = [&](int i, int) {
    const std::size_t at = static_cast<std::size_t>(i) * n_part;
    const std::span<const std::byte> part = bytes.subspan(at, std::min(n_part, bytes.size() - at));
    if (planes == nullptr)
      std::memcpy(to + at, part.data(), part.size());
    else
      planes->take_apart(part, to + at / unit.n_read * unit.n_written);
  };
  const int n_parts = static_cast<int>((bytes.size() + n_part - 1) / n_part);
  if (team_ != nullptr && n_parts > 1) return team_->parallel_for(n_parts, read_part);
  for (int i = 0; i < n_parts; ++i) read_part(i, 0);
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
