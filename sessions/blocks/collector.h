// SPDX-License-Identifier: MIT
// Keeps the prompt cache within its share of the disk, and removes what is of no use. Confined to
// one thread. If several programs share a cache, only one collects at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sessions/blocks/block_directory.h"
#include "sessions/blocks/use_log.h"

namespace confab::sessions {

// Blocks that cannot be reached from a root, and so are of no use.
std::vector<StoredBlockFile> unreachable_blocks(const std::vector<StoredBlockFile>& blocks);

// The blocks to delete, in this order, so that at most max_bytes remain. Unreachable blocks come
// first, then repeatedly the least recently used leaf of the tree, so that no block is left without
// the blocks before it. If leaves were used at the same time, the deepest goes first.
// in_use() is called for each leaf that is about to go. If it returns true, the leaf stays and so
// do all blocks before it, even if more than max_bytes remain.
std::vector<StoredBlockFile> blocks_to_evict(const std::vector<StoredBlockFile>& blocks,
                                             std::uint64_t max_bytes,
                                             const std::function<bool(const BlockName&)>& in_use);

struct BlockBudget {  // nullopt: the defaults of KvStoreOptions
  std::optional<std::uint64_t> max_bytes;
  std::optional<std::uint64_t> min_free_bytes;
};

struct Collected {
  std::uint64_t n_evicted = 0;
  std::uint64_t bytes_evicted = 0;
  std::uint64_t bytes_left = 0;  // of the remaining blocks
};

struct GarbageCollected {
  Removed foreign;      // files of other versions, and files that are not blocks
  Removed unreachable;  // blocks without the ones before them
  Collected evicted;
  int n_facts = 0;  // facts removed because nobody asked for them
  bool log_compacted = false;
};

class Collector {
 public:
  Collector(const BlockDirectory& directory, BlockBudget budget);  // the directory must outlive it

  std::uint64_t max_bytes() const noexcept { return max_bytes_; }
  // Bytes that the cache leaves free on the file system.
  std::uint64_t min_free_bytes() const noexcept { return min_free_bytes_; }
  std::uint64_t free_bytes() const noexcept;  // on the file system, right now

  // If the cache is over its budget, or `room` more bytes are needed, evicts down to the budget and
  // a little further. Always removes blocks of older versions. Returns nullopt if another program
  // is collecting.
  std::optional<Collected> evict(std::uint64_t room);
  // Collects everything: unreachable blocks, files of other versions, files that crashes left
  // behind, eviction, the use log. Returns nullopt if another program was collecting all the time.
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
