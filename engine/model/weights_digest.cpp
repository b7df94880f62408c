// SPDX-License-Identifier: MIT
#include "engine/model/weights_digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "engine/platform/mapped_range.h"

namespace confab::engine {
namespace {

constexpr std::size_t kSliceBytes = std::size_t{1} << 20;
constexpr std::size_t kStepSlices = 64;

std::array<std::byte, 16> hash_of(std::span<const std::byte> bytes) noexcept {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  std::array<std::byte, 16> hash;
  std::memcpy(hash.data(), canonical.digest, hash.size());
  return hash;
}

}  // namespace

WeightsDigest::WeightsDigest(const Gguf& gguf, kernels::ThreadPool& pool,
                             const std::function<bool(const GgufTensor&)>& is_kept)
    : pool_(pool) {
  for (const GgufTensor& tensor : gguf.tensors()) {
    const bool keeps = !is_kept || is_kept(tensor);
    n_bytes_ += tensor.n_bytes();
    add(tensor.data, keeps);
    for (const std::span<const std::byte> numbers : tensor.side.bytes(tensor.n_rows()))
      add(numbers, keeps);
  }
  hashes_.resize(slices_.size());
}

void WeightsDigest::add(std::span<const std::byte> bytes, bool is_kept) {
  while (!bytes.empty()) {
    slices_.push_back({bytes.first(std::min(kSliceBytes, bytes.size())), is_kept});
    bytes = bytes.subspan(slices_.back().bytes.size());
  }
}

// The pages are mapped read-only, so released pages can be read from the file again.
void WeightsDigest::give_back(const Slice& slice) noexcept {
  if (slice.is_kept) return;
  platform::give_back({const_cast<std::byte*>(slice.bytes.data()), slice.bytes.size()});
}

void WeightsDigest::step() noexcept {
  const std::size_t n = std::min(kStepSlices, slices_.size() - n_done_);
  pool_.parallel_for(static_cast<int>(n), [&](int item, int) {
    const std::size_t i = n_done_ + static_cast<std::size_t>(item);
    const Slice& slice = slices_[i];
    hashes_[i] = hash_of(slice.bytes);
    give_back(slice);
  });
  for (std::size_t i = n_done_; i < n_done_ + n; ++i) {
    bytes_done_ += slices_[i].bytes.size();
    give_back(slices_[i]);  // again, because reading a slice can map 2 MiB and so its neighbours
  }
  n_done_ += n;
}

std::string WeightsDigest::hex() const {
  assert(done());
  std::string digits;
  for (const std::byte byte : hash_of(std::as_bytes(std::span(hashes_)))) {
    digits += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return digits;
}

}  // namespace confab::engine
