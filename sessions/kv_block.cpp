// SPDX-License-Identifier: MIT
#include "sessions/kv_block.h"

#include <sys/mman.h>

#include <utility>

namespace confab::sessions {

KvBlock::KvBlock(const std::byte* mapping, std::size_t mapped_bytes, std::size_t payload_bytes,
                 int n_tokens) noexcept
    : mapping_(mapping),
      mapped_bytes_(mapped_bytes),
      payload_bytes_(payload_bytes),
      n_tokens_(n_tokens) {}

KvBlock::~KvBlock() {
  if (mapping_ != nullptr) munmap(const_cast<std::byte*>(mapping_), mapped_bytes_);
}

KvBlock::KvBlock(KvBlock&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)),
      payload_bytes_(std::exchange(other.payload_bytes_, 0)),
      n_tokens_(std::exchange(other.n_tokens_, 0)) {}

KvBlock& KvBlock::operator=(KvBlock&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  std::swap(payload_bytes_, other.payload_bytes_);
  std::swap(n_tokens_, other.n_tokens_);
  return *this;
}

}  // namespace confab::sessions
