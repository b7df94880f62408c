// SPDX-License-Identifier: MIT
// The directory in which KV blocks are stored: <directory>/v2/<root>/<first two digits of
// parent>/<parent>-<key>.kvb, or .kvt for a tail. The names alone describe the tree of blocks;
// there is no index that could go stale.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "sessions/blocks/block_key.h"

namespace confab::sessions {

struct BlockName {
  BlockKey root{};
  BlockKey parent{};
  BlockKey key{};
  bool full = true;

  bool operator==(const BlockName&) const = default;
};

struct StoredBlockFile {
  BlockName name;
  std::uint64_t bytes = 0;
  std::chrono::nanoseconds used{0};  // time of last use, since 1970
};

struct Removed {
  std::uint64_t n_files = 0;
  std::uint64_t bytes = 0;

  void add(std::uint64_t file_bytes) noexcept {
    ++n_files;
    bytes += file_bytes;
  }
};

class BlockDirectory {
 public:
  // Creates the directory (0700), its missing parents and its CACHEDIR.TAG. Throws StoreError if
  // that fails, or if others may write into the directory.
  explicit BlockDirectory(std::filesystem::path directory);

  const std::filesystem::path& path() const noexcept { return directory_; }
  std::filesystem::path path_of(const BlockName& name) const;
  // Blocks and tails that directly follow `parent`, in no particular order.
  std::vector<BlockName> children(const BlockKey& root, const BlockKey& parent) const;
  // All block files. Also removes empty folders, and temporary files that a crash left behind more
  // than an hour ago.
  std::vector<StoredBlockFile> scan() const;
  // Creates the folder for a block, and the whole directory again if somebody deleted it. Throws
  // StoreError.
  void make_folder_of(const BlockName& name) const;
  void touch(const BlockName& name) const noexcept;  // marks it as used now
  void remove(
      const BlockName& name) const noexcept;  // removes anything except a folder with files in it
  // Removes the folders of older format versions, which nothing else would ever empty.
  Removed remove_older_versions() const;
  // Removes the folders of all other format versions, files among the blocks that are not blocks,
  // and files that a crash left behind.
  Removed remove_foreign() const;
  // Removes everything that confab stores here. Files that other programs add meanwhile may stay.
  Removed clear() const;

 private:
  std::filesystem::path folder_of(const BlockKey& root, const BlockKey& parent) const;

  std::filesystem::path directory_;
};

}  // namespace confab::sessions
