// SPDX-License-Identifier: MIT
#include "sessions/eviction.h"

#include <cstring>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace confab::sessions {
namespace {

struct Place {  // in the forest: the same key may be stored under several roots
  BlockKey root;
  BlockKey key;
  bool operator==(const Place&) const = default;
};
struct PlaceHash {
  std::size_t operator()(const Place& place) const noexcept {
    std::size_t a = 0;
    std::size_t b = 0;
    std::memcpy(&a, place.root.data(), sizeof a);  // keys are hashes already
    std::memcpy(&b, place.key.data(), sizeof b);
    return a ^ (b * 31);
  }
};

struct Node {
  const StoredBlockFile* file;
  Node* parent = nullptr;
  std::vector<Node*> children = {};
  std::size_t n_children = 0;  // that have not been evicted
  int depth = 0;
  bool reached = false;
};

struct EvictLater {
  bool operator()(const Node* a, const Node* b) const noexcept {
    return std::tuple(a->file->used, -a->depth) > std::tuple(b->file->used, -b->depth);
  }
};

// Links children to parents and marks what can be reached from the roots. Names are untrusted:
// they may make a cycle, which is reached from no root.
void link(std::vector<Node>& nodes) {
  std::unordered_map<Place, Node*, PlaceHash> full;
  for (Node& node : nodes) {
    const BlockName& name = node.file->name;
    if (name.full) full.emplace(Place{name.root, name.key}, &node);
  }
  std::vector<Node*> reached;
  for (Node& node : nodes) {
    const BlockName& name = node.file->name;
    if (name.parent == name.root) {
      node.reached = true;
      reached.push_back(&node);
    } else if (const auto it = full.find(Place{name.root, name.parent}); it != full.end()) {
      node.parent = it->second;
      it->second->children.push_back(&node);
    }
  }
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (Node* child : reached[i]->children) {
      if (child->reached) continue;
      child->reached = true;
      child->depth = reached[i]->depth + 1;
      ++reached[i]->n_children;
      reached.push_back(child);
    }
  }
}

}  // namespace

std::vector<BlockName> blocks_to_evict(const std::vector<StoredBlockFile>& blocks,
                                       std::uint64_t max_bytes,
                                       const std::function<bool(const BlockName&)>& in_use) {
  std::vector<Node> nodes;
  std::uint64_t total = 0;
  for (const StoredBlockFile& block : blocks) {
    nodes.push_back({.file = &block});
    total += block.bytes;
  }
  if (total <= max_bytes) return {};
  link(nodes);
  std::vector<BlockName> out;
  std::priority_queue<Node*, std::vector<Node*>, EvictLater> leaves;
  const auto evict = [&](const Node& node) {
    out.push_back(node.file->name);
    total -= node.file->bytes;
  };
  for (Node& node : nodes) {
    if (!node.reached) evict(node);
    if (node.reached && node.n_children == 0) leaves.push(&node);
  }
  while (total > max_bytes && !leaves.empty()) {
    Node* leaf = leaves.top();
    leaves.pop();
    if (in_use(leaf->file->name)) continue;
    evict(*leaf);
    if (leaf->parent != nullptr && --leaf->parent->n_children == 0) leaves.push(leaf->parent);
  }
  return out;
}

}  // namespace confab::sessions
