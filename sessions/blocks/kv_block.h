// SPDX-License-Identifier: MIT
// A stored block that has been verified: a private, read-only mapping of its file, or a copy.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace confab::sessions {

class KvBlock {
 public:
  // Takes ownership of a mapping, all of which is the payload.
  KvBlock(std::span<const std::byte> mapping, int n_stored, int n_tokens) noexcept;
  KvBlock(std::vector<std::byte> copy, int n_stored, int n_tokens) noexcept;
  ~KvBlock();
  KvBlock(KvBlock&& other) noexcept;
  KvBlock& operator=(KvBlock&& other) noexcept;

  // Valid as long as this object; empty after move_to(). The file may be unlinked meanwhile. If it
  // is mapped and may be truncated, reading it needs a SIGBUS handler.
  std::span<const std::byte> payload() const noexcept {
    return mapping_.empty() ? std::span<const std::byte>(copy_) : mapping_;
  }
  int n_stored() const noexcept { return n_stored_; }  // tokens that the payload covers
  // How many of them were asked for; always the first ones.
  int n_tokens() const noexcept { return n_tokens_; }

  // Moves the mapping to an address, which must be a multiple of the page size. It replaces what is
  // mapped there, which must belong to the caller and be as long as the payload. Returns false if
  // it failed: the payload is then where it was, but nothing may be mapped at the address any more.
  // Always false for a copy, and if !can_move().
  bool move_to(std::byte* address) noexcept;
  static bool can_move() noexcept;

 private:
  std::span<const std::byte> mapping_;
  std::vector<std::byte> copy_;
  int n_stored_;
  int n_tokens_;
};

}  // namespace confab::sessions
