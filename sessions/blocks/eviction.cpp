// SPDX-License-Identifier: MIT
#include "sessions/blocks/eviction.h"

#include <queue>
#include <tuple>

#include "sessions/blocks/block_tree.h"

namespace confab::sessions {
namespace {

using Node = BlockTree::Node;

struct EvictLater {
  bool operator()(const Node* a, const Node* b) const noexcept {
    return std::tuple(a->file->used, -a->depth) > std::tuple(b->file->used, -b->depth);
  }
};

}  // namespace

std::vector<StoredBlockFile> unreachable_blocks(const std::vector<StoredBlockFile>& blocks) {
  const BlockTree tree(blocks);
  std::vector<StoredBlockFile> out;
  for (const Node& node : tree.nodes()) {
    if (!node.reached) out.push_back(*node.file);
  }
  return out;
}

std::vector<StoredBlockFile> blocks_to_evict(const std::vector<StoredBlockFile>& blocks,
                                             std::uint64_t max_bytes,
                                             const std::function<bool(const BlockName&)>& in_use) {
  std::uint64_t total = 0;
  for (const StoredBlockFile& block : blocks) total += block.bytes;
  if (total <= max_bytes) return {};
  const BlockTree tree(blocks);
  std::vector<StoredBlockFile> out;
  const auto evict = [&](const Node& node) {
    out.push_back(*node.file);
    total -= node.file->bytes;
  };
  std::vector<std::size_t> n_children;  // that have not been evicted
  std::priority_queue<const Node*, std::vector<const Node*>, EvictLater> leaves;
  for (const Node& node : tree.nodes()) {
    n_children.push_back(node.children.size());
    if (!node.reached) evict(node);
    if (node.reached && node.children.empty()) leaves.push(&node);
  }
  while (total > max_bytes && !leaves.empty()) {
    const Node& leaf = *leaves.top();
    leaves.pop();
    if (in_use(leaf.file->name)) continue;
    evict(leaf);
    if (leaf.parent && --n_children[*leaf.parent] == 0) leaves.push(&tree.nodes()[*leaf.parent]);
  }
  return out;
}

}  // namespace confab::sessions
