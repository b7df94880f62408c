// SPDX-License-Identifier: MIT
// What the engine asks of a place that keeps KV-cache blocks between runs. The engine says which
// tokens a block stands for; how and where it is kept is the store's business (app connects
// sessions/ here). A store may lose anything at any time: that costs time only. It is called from
// the generation thread alone, and must not throw.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/tokenizer.h"

namespace confab::engine {

// Bytes of a block as KvCache::block() gave them, valid for the first n_tokens of it; owned.
class StoredBlock {
 public:
  virtual ~StoredBlock() = default;
  virtual std::span<const std::byte> payload() const noexcept = 0;
  virtual int n_tokens() const noexcept = 0;
};

class BlockStore {
 public:
  virtual ~BlockStore() = default;
  // The stored blocks whose tokens start `tokens`, in order, checked against damage: full ones,
  // then at most one that is partly used. fingerprint: all that determines K and V but the tokens.
  virtual std::vector<std::unique_ptr<StoredBlock>> find(std::string_view fingerprint,
                                                         std::span<const Token> tokens) = 0;
  // Keeps the last block of `tokens` (all of it when their count is a multiple of the block size).
  // Copies the payload, never waits for the disk; may drop the request.
  virtual void keep(std::string_view fingerprint, std::span<const Token> tokens,
                    std::span<const std::byte> payload) = 0;
};

}  // namespace confab::engine
