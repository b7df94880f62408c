// SPDX-License-Identifier: MIT
// What is in the prompt cache, whose it is and what it was good for: the tree of blocks seen
// through the use log. A block belongs to every conversation that kept or found it or one after it.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "sessions/blocks/block_directory.h"
#include "sessions/blocks/block_key.h"

namespace confab::sessions {

struct CacheTotals {
  std::uint64_t n_files = 0;  // blocks
  std::uint64_t bytes = 0;    // of them
  // Since the use log was begun, also of blocks and conversations that are gone:
  std::uint64_t n_hits = 0;
  std::uint64_t n_misses = 0;
  std::uint64_t tokens_wanted = 0;
  std::uint64_t tokens_found = 0;
  std::uint64_t bytes_mapped = 0;
  std::uint64_t bytes_copied = 0;
};

struct BlockSum {
  std::uint64_t n_blocks = 0;
  std::uint64_t tokens = 0;
  std::uint64_t bytes = 0;
};

struct UseSum {
  std::uint64_t n_hits = 0;
  std::uint64_t n_misses = 0;
  std::uint64_t tokens_found = 0;
  std::chrono::milliseconds last{0};  // since 1970
};

struct ConversationCache {
  std::int64_t origin = 0;
  BlockSum blocks;
  std::uint64_t own_bytes = 0;  // of blocks that belong to nobody else
  UseSum uses;
};

// Blocks of no conversation that have their first block in common.
struct LooseBlocks {
  BlockKey root{};
  BlockKey first{};
  BlockSum blocks;
  UseSum uses;
};

// Blocks one after the other, up to the next fork or the end.
struct BlockChain {
  BlockKey root{};
  BlockKey first{};
  BlockKey last{};
  int n_forks = 0;  // how many are before it
  BlockSum blocks;
  UseSum uses;  // that came as far as the first block; misses are of no block
};

struct CacheReport {
  CacheTotals totals;
  std::vector<ConversationCache> conversations;  // that have blocks; last used first
  std::vector<LooseBlocks> loose;                // last used first
  // Every chain before those that fork from it; of those that begin at the same place, the last
  // used first.
  std::vector<BlockChain> chains;
};

// Reads the use log and the names of the blocks.
CacheTotals cache_totals(const BlockDirectory& directory);
// Opens every block, for the count of its tokens. One that cannot be read counts as none.
CacheReport report_cache(const BlockDirectory& directory);

// Removes the blocks that a conversation does not share with others or with runs without a
// conversation, and its traces in the use log. Blocks of unknown origin go too, since they might
// be its: those of a draft that was never sent, and all that were there before the use log was
// lost.
Removed forget_conversation(const BlockDirectory& directory, std::int64_t origin);
// The conversations in the use log, in order.
std::vector<std::int64_t> cached_conversations(const BlockDirectory& directory);

}  // namespace confab::sessions
