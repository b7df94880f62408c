// SPDX-License-Identifier: MIT
// A stored block: a read-only, private mapping of a block file that has been verified.
#pragma once

#include <cstddef>
#include <span>

namespace confab::sessions {

class KvBlock {
 public:
  // Takes over a mapping of mapped_bytes, whose first payload_bytes are the payload.
  KvBlock(const std::byte* mapping, std::size_t mapped_bytes, std::size_t payload_bytes,
          int n_tokens) noexcept;
  ~KvBlock();
  KvBlock(KvBlock&& other) noexcept;
  KvBlock& operator=(KvBlock&& other) noexcept;

  // Page-aligned; valid as long as this object. The file may be unlinked meanwhile.
  std::span<const std::byte> payload() const noexcept { return {mapping_, payload_bytes_}; }
  // How many of the block's tokens are the ones that were asked for: the first ones.
  int n_tokens() const noexcept { return n_tokens_; }

 private:
  const std::byte* mapping_;
  std::size_t mapped_bytes_;
  std::size_t payload_bytes_;
  int n_tokens_;
};

}  // namespace confab::sessions
