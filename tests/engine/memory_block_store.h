// SPDX-License-Identifier: MIT
// A block store that keeps everything in memory, for tests.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/block_store.h"
#include "engine/kv_cache.h"

namespace confab::engine {

class MemoryBlockStore : public BlockStore {
 public:
  struct Block {
    std::string fingerprint;
    std::vector<Token> tokens;  // from the first of all to the block's last
    std::vector<std::byte> payload;
  };

  std::vector<std::unique_ptr<StoredBlock>> find(std::string_view fingerprint,
                                                 std::span<const Token> tokens) override {
    ++n_finds;
    std::vector<std::unique_ptr<StoredBlock>> found;
    for (;;) {
      const std::size_t begin = found.size() * kBlockTokens;
      const Block* best = nullptr;
      std::size_t best_n = 0;
      for (const Block& block : blocks) {
        if (block.fingerprint != fingerprint || block.tokens.size() <= begin ||
            block.tokens.size() > begin + kBlockTokens)
          continue;
        const std::size_t n = common(block.tokens, tokens);
        if (n > begin && n - begin > best_n) {
          best = &block;
          best_n = n - begin;
        }
      }
      if (best == nullptr) return found;
      found.push_back(std::make_unique<Found>(*best, static_cast<int>(best_n)));
      if (best_n < kBlockTokens) return found;
    }
  }

  void keep(std::string_view fingerprint, std::span<const Token> tokens,
            std::span<const std::byte> payload) override {
    blocks.push_back({std::string(fingerprint),
                      {tokens.begin(), tokens.end()},
                      {payload.begin(), payload.end()}});
  }

  std::vector<Block> blocks;
  int n_finds = 0;

 private:
  class Found : public StoredBlock {
   public:
    Found(const Block& block, int n) : payload_(block.payload), n_tokens_(n) {}
    std::span<const std::byte> payload() const noexcept override { return payload_; }
    int n_tokens() const noexcept override { return n_tokens_; }

   private:
    std::vector<std::byte> payload_;
    int n_tokens_;
  };

  static std::size_t common(std::span<const Token> a, std::span<const Token> b) {
    std::size_t n = 0;
    while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
    return n;
  }
};

}  // namespace confab::engine
