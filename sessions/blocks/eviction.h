// SPDX-License-Identifier: MIT
// Which blocks leave when there are too many.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sessions/blocks/block_directory.h"

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

}  // namespace confab::sessions
