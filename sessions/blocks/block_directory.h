// SPDX-License-Identifier: MIT
// Where KV blocks lie: <directory>/v2/<root>/<first two digits of parent>/<parent>-<key>.kvb, or
// .kvt for a tail. The names alone tell the tree of blocks; there is no index to go stale.
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
  std::chrono::nanoseconds used{0};  // last time of use, since 1970
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
  // Creates the directory (0700) with what is missing above it, and its CACHEDIR.TAG. Throws
  // StoreError when that fails, or when others may write into it.
  explicit BlockDirectory(std::filesystem::path directory);

  const std::filesystem::path& path() const noexcept { return directory_; }
  std::filesystem::path path_of(const BlockName& name) const;
  // Blocks and tails that come directly after `parent`, in no particular order.
  std::vector<BlockName> children(const BlockKey& root, const BlockKey& parent) const;
  // All files of blocks. Removes what a crash left behind more than an hour ago, and empty folders.
  std::vector<StoredBlockFile> scan() const;
  // Makes the folder that a block goes to; the whole directory again when somebody deleted it.
  // Throws StoreError.
  void make_folder_of(const BlockName& name) const;
  void touch(const BlockName& name) const noexcept;   // it has been used now
  void remove(const BlockName& name) const noexcept;  // whatever is there, but for full folders
  // Removes the folders of versions before this one, which nothing else would ever empty.
  Removed remove_older_versions() const;
  // Removes the folders of all other versions, whatever lies among the blocks without being one,
  // and what a crash left behind.
  Removed remove_foreign() const;
  // Removes all that a program puts here. What others write meanwhile may stay.
  Removed clear() const;

 private:
  std::filesystem::path folder_of(const BlockKey& root, const BlockKey& parent) const;

  std::filesystem::path directory_;
};

}  // namespace confab::sessions
