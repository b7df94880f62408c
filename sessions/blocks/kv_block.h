// SPDX-License-Identifier: MIT
// A stored block that has been verified: a read-only, private mapping of its file, or a copy.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace confab::sessions {

class KvBlock {
 public:
  // Takes over a mapping, all of which is the payload.
  KvBlock(std::span<const std::byte> mapping, int n_stored, int n_tokens) noexcept;
  KvBlock(std::vector<std::byte> copy, int n_stored, int n_tokens) noexcept;
  ~KvBlock();
  KvBlock(KvBlock&& other) noexcept;
  KvBlock& operator=(KvBlock&& other) noexcept;

  // Valid as long as this object, and empty after move_to(). The file may be unlinked meanwhile;
  // where it is mapped and may be truncated, reading it takes a handler of SIGBUS.
  std::span<const std::byte> payload() const noexcept {
    return mapping_.empty() ? std::span<const std::byte>(copy_) : mapping_;
  }
  int n_stored() const noexcept { return n_stored_; }  // tokens that the payload is of
  // How many of them are the ones that were asked for: the first ones.
  int n_tokens() const noexcept { return n_tokens_; }

  // Moves the mapping to an address that is a multiple of the page size, instead of what is mapped
  // there, which must be the caller's and as long as the payload. False: the payload is where it
  // was, but nothing may be mapped at the address any more. Never true for a copy, nor where
  // !can_move().
  bool move_to(std::byte* address) noexcept;
  static bool can_move() noexcept;

 private:
  std::span<const std::byte> mapping_;
  std::vector<std::byte> copy_;
  int n_stored_;
  int n_tokens_;
};

}  // namespace confab::sessions
