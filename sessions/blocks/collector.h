// SPDX-License-Identifier: MIT
// Keeps the prompt cache within what it may take of the disk, and clears away what is of no use.
// Confined to one thread; of several programs one at a time collects.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sessions/blocks/block_directory.h"
#include "sessions/blocks/use_log.h"

namespace confab::sessions {

// Blocks that no walk from a root can reach: they are of no use.
std::vector<StoredBlockFile> unreachable_blocks(const std::vector<StoredBlockFile>& blocks);

// The blocks to delete, in this order, so that those left have at most max_bytes. First what is
// unreachable; then the least recently used leaf of the tree, again and again, so that no block is
// left without the ones before it. Of leaves used at the same time, the deepest.
// in_use() is asked for a leaf that is about to leave: when it says so, the leaf stays, and with it
// all blocks before it, even if what is left has more than max_bytes then.
std::vector<StoredBlockFile> blocks_to_evict(const std::vector<StoredBlockFile>& blocks,
                                             std::uint64_t max_bytes,
                                             const std::function<bool(const BlockName&)>& in_use);

struct BlockBudget {  // what nullopt stands for: KvStoreOptions
  std::optional<std::uint64_t> max_bytes;
  std::optional<std::uint64_t> min_free_bytes;
};

struct Collected {
  std::uint64_t n_evicted = 0;
  std::uint64_t bytes_evicted = 0;
  std::uint64_t bytes_left = 0;  // of blocks
};

struct GarbageCollected {
  Removed foreign;      // files of other versions, and what is no block
  Removed unreachable;  // blocks without the ones before them
  Collected evicted;
  int n_facts = 0;  // that nobody has asked for
  bool log_compacted = false;
};

class Collector {
 public:
  Collector(const BlockDirectory& directory, BlockBudget budget);  // the directory outlives it

  std::uint64_t max_bytes() const noexcept { return max_bytes_; }
  // That the cache leaves free of the file system.
  std::uint64_t min_free_bytes() const noexcept { return min_free_bytes_; }
  std::uint64_t free_bytes() const noexcept;  // of the file system, just now

  // When there is more than the budget, or `room` bytes more are needed: evicts down to it and a
  // bit further. Older versions' blocks leave in any case. nullopt: another program is collecting.
  std::optional<Collected> evict(std::uint64_t room);
  // The whole of it: blocks that cannot be reached, files of other versions, what crashes left
  // behind, eviction, the use log. nullopt: another program was collecting all the time.
  std::optional<GarbageCollected> collect(std::chrono::milliseconds patience);

 private:
  Collected evict_from(const std::vector<StoredBlockFile>& blocks, std::uint64_t room) const;
  bool compact_log(const std::vector<StoredBlockFile>& blocks) const;

  const BlockDirectory& directory_;
  UseLog log_;
  std::uint64_t max_bytes_;
  std::uint64_t min_free_bytes_;
};

}  // namespace confab::sessions
