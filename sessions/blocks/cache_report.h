// SPDX-License-Identifier: MIT
// A report on the prompt cache: what it contains, whose blocks they are and how useful they were.
// It combines the tree of blocks with the use log. A block belongs to every conversation that kept
// or found this block or one after it. Also the check that removes damaged blocks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "sessions/blocks/block_directory.h"
#include "sessions/blocks/block_key.h"

namespace confab::sessions {

struct CacheTotals {
  std::uint64_t n_files = 0;  // number of blocks
  std::uint64_t bytes = 0;    // of all blocks
  // Since the use log was started, including blocks and conversations that are gone:
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
  std::uint64_t own_bytes = 0;  // of blocks that belong to no other conversation
  UseSum uses;
};

// Blocks without a conversation that share their first block.
struct LooseBlocks {
  BlockKey root{};
  BlockKey first{};
  BlockSum blocks;
  UseSum uses;
};

// Consecutive blocks, up to the next fork or the end.
struct BlockChain {
  BlockKey root{};
  BlockKey first{};
  BlockKey last{};
  int n_forks = 0;  // number of forks before it
  BlockSum blocks;
  UseSum uses;  // uses that reached its first block; a miss reaches no block
};

struct CacheReport {
  CacheTotals totals;
  std::vector<ConversationCache> conversations;  // with blocks; most recently used first
  std::vector<LooseBlocks> loose;                // most recently used first
  // Every chain comes before the chains that fork from it. Chains that begin at the same place are
  // sorted by last use, most recent first.
  std::vector<BlockChain> chains;
};

// Reads the use log and the names of the blocks.
CacheTotals cache_totals(const BlockDirectory& directory);
// Opens every block to count its tokens. An unreadable block counts as 0 tokens.
CacheReport report_cache(const BlockDirectory& directory);

// Removes the blocks that a conversation shares neither with other conversations nor with runs
// without one, and its traces in the use log. Blocks of unknown origin are removed too, since they
// might belong to it: those of a draft that was never sent, and all blocks that are older than a
// lost use log.
Removed forget_conversation(const BlockDirectory& directory, std::int64_t origin);
// The conversations in the use log, in ascending order.
std::vector<std::int64_t> cached_conversations(const BlockDirectory& directory);

struct CheckProgress {
  std::uint64_t n_done = 0;  // blocks checked so far
  std::uint64_t n_blocks = 0;
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes = 0;
};

struct CheckResult {
  std::uint64_t n_good = 0;
  std::uint64_t bytes_good = 0;
  Removed damaged;
  std::uint64_t n_unread = 0;  // could not be opened at the moment, or vanished meanwhile
  bool finished = false;       // false: go_on() returned false
};

// Reads every block of the prompt cache and removes the damaged ones, which would otherwise go
// unnoticed until they are needed. Calls go_on() with the progress
// before each block and once at the end; false stops the check.
CheckResult check_blocks(const BlockDirectory& directory,
                         const std::function<bool(const CheckProgress&)>& go_on);

}  // namespace confab::sessions
