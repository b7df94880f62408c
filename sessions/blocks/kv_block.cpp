// SPDX-License-Identifier: MIT
#include "sessions/blocks/kv_block.h"

#include <sys/mman.h>

#include <utility>

namespace confab::sessions {

KvBlock::KvBlock(std::span<const std::byte> mapping, int n_stored, int n_tokens) noexcept
    : mapping_(mapping), n_stored_(n_stored), n_tokens_(n_tokens) {}

KvBlock::KvBlock(std::vector<std::byte> copy, int n_stored, int n_tokens) noexcept
    : copy_(std::move(copy)), n_stored_(n_stored), n_tokens_(n_tokens) {}

KvBlock::~KvBlock() {
  if (!mapping_.empty()) ::munmap(const_cast<std::byte*>(mapping_.data()), mapping_.size());
}

KvBlock::KvBlock(KvBlock&& other) noexcept
    : mapping_(std::exchange(other.mapping_, {})),
      copy_(std::move(other.copy_)),
      n_stored_(std::exchange(other.n_stored_, 0)),
      n_tokens_(std::exchange(other.n_tokens_, 0)) {}

KvBlock& KvBlock::operator=(KvBlock&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(copy_, other.copy_);
  std::swap(n_stored_, other.n_stored_);
  std::swap(n_tokens_, other.n_tokens_);
  return *this;
}

bool KvBlock::can_move() noexcept {
#ifdef MREMAP_FIXED
  return true;
#else
  return false;
#endif
}

bool KvBlock::move_to(std::byte* address) noexcept {
#ifdef MREMAP_FIXED
  if (mapping_.empty()) return false;
  // Also moves the pages that verifying has read, so that the first use does not fault for them
  // again.
  void* from = const_cast<std::byte*>(mapping_.data());
  if (::mremap(from, mapping_.size(), mapping_.size(), MREMAP_MAYMOVE | MREMAP_FIXED, address) ==
      MAP_FAILED) {
    return false;
  }
  mapping_ = {};
  return true;
#else
  static_cast<void>(address);
  return false;
#endif
}

}  // namespace confab::sessions
