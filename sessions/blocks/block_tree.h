// SPDX-License-Identifier: MIT
// The forest that the names of blocks form: one tree for each root, in which every block is below
// the block that comes before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "sessions/blocks/block_directory.h"

namespace confab::sessions {

class BlockTree {
 public:
  struct Node {
    const StoredBlockFile* file = nullptr;
    std::optional<std::size_t> parent =
        {};  // index into nodes(); nullopt: a first block, or not reached
    std::vector<std::size_t> children = {};  // indices into nodes()
    int depth = 0;                           // number of blocks before it
    // Whether it can be reached from its root. Names are untrusted: the block before may be missing
    // or a tail, and names may form a cycle.
    bool reached = false;
  };

  explicit BlockTree(std::span<const StoredBlockFile> blocks);  // must outlive the object

  // In the order of the blocks given to the constructor.
  const std::vector<Node>& nodes() const noexcept { return nodes_; }
  // The block with this key, full or tail, if it can be reached; keys tell the two apart.
  std::optional<std::size_t> find(const BlockKey& root, const BlockKey& key) const;
  // The blocks that can be reached, each after the blocks before it.
  const std::vector<std::size_t>& reached() const noexcept { return reached_; }

 private:
  struct Place {  // the same key may be stored under several roots
    BlockKey root;
    BlockKey key;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const noexcept;
  };
  void link();

  std::vector<Node> nodes_;
  std::vector<std::size_t> reached_;
  std::unordered_map<Place, std::size_t, PlaceHash> places_;
};

}  // namespace confab::sessions
