// SPDX-License-Identifier: MIT
#include "sessions/blocks/block_tree.h"

#include <cstring>

namespace confab::sessions {

std::size_t BlockTree::PlaceHash::operator()(const Place& place) const noexcept {
  std::size_t a = 0;
  std::size_t b = 0;
  std::memcpy(&a, place.root.data(), sizeof a);  // keys are already hashes
  std::memcpy(&b, place.key.data(), sizeof b);
  return a ^ (b * 31);
}

BlockTree::BlockTree(std::span<const StoredBlockFile> blocks) {
  nodes_.reserve(blocks.size());
  for (const StoredBlockFile& block : blocks) {
    places_.emplace(Place{block.name.root, block.name.key}, nodes_.size());
    nodes_.push_back({.file = &block});
  }
  link();
}

void BlockTree::link() {
  std::vector<std::vector<std::size_t>> after(
      nodes_.size());  // children by name, whether reachable or not
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const BlockName& name = nodes_[i].file->name;
    if (name.parent == name.root) {
      nodes_[i].reached = true;
      reached_.push_back(i);
    } else if (const auto before = places_.find({name.root, name.parent});
               before != places_.end() && nodes_[before->second].file->name.full) {
      after[before->second].push_back(i);
    }
  }
  for (std::size_t done = 0; done < reached_.size(); ++done) {
    const std::size_t i = reached_[done];
    for (const std::size_t child : after[i]) {
      if (nodes_[child].reached) continue;
      nodes_[child].reached = true;
      nodes_[child].parent = i;
      nodes_[child].depth = nodes_[i].depth + 1;
      nodes_[i].children.push_back(child);
      reached_.push_back(child);
    }
  }
}

std::optional<std::size_t> BlockTree::find(const BlockKey& root, const BlockKey& key) const {
  const auto it = places_.find({root, key});
  if (it == places_.end() || !nodes_[it->second].reached) return std::nullopt;
  return it->second;
}

}  // namespace confab::sessions
