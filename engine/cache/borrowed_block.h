// SPDX-License-Identifier: MIT
// Bytes in memory as a block that a sequence can be restored from.
#pragma once

#include <cstddef>
#include <span>

#include "engine/cache/block_store.h"

namespace confab::engine {

// The payload is borrowed, and never mapped in the place of other memory.
class BorrowedBlock final : public StoredBlock {
 public:
  // As StoredBlock has these.
  BorrowedBlock(std::span<const std::byte> payload, int n_stored, int n_tokens) noexcept
      : payload_(payload), n_stored_(n_stored), n_tokens_(n_tokens) {}
  std::span<const std::byte> payload() const noexcept override { return payload_; }
  int n_stored() const noexcept override { return n_stored_; }
  int n_tokens() const noexcept override { return n_tokens_; }
  bool move_to(std::byte* /*address*/) noexcept override { return false; }

 private:
  std::span<const std::byte> payload_;
  int n_stored_, n_tokens_;
};

}  // namespace confab::engine
