// SPDX-License-Identifier: MIT
// How often the prompt cache has been of use, for whom, and up to which block: what `confab cache`
// tells and what deleting a conversation goes by. It has no text in it, and it is as disposable as
// the blocks are: whatever goes wrong with it is ignored. See FORMAT.md, "The use log".
//
// Any number of programs append to one log at the same time. All functions may be called from any
// thread.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <type_traits>
#include <vector>

#include "sessions/blocks/block_key.h"

namespace confab::sessions {

// The bytes of a record in the file.
static_assert(std::endian::native == std::endian::little);

inline constexpr std::array<char, 8> kUseMagic{'C', 'F', 'K', 'V', 'U', 'S', 'E', '1'};

struct UseRecord {
  std::array<char, 8> magic;
  std::int64_t time_ms;  // since 1970
  std::int64_t origin;
  BlockKey root;
  BlockKey leaf;
  BlockKey parent;
  std::uint64_t n_hits;
  std::uint64_t n_misses;
  std::uint64_t n_kept;
  std::uint64_t tokens_wanted;
  std::uint64_t tokens_found;
  std::uint64_t bytes_mapped;
  std::uint64_t bytes_copied;
  std::uint64_t checksum;  // XXH3-64 of all bytes before
};
static_assert(sizeof(UseRecord) == 136 && std::is_trivially_copyable_v<UseRecord>);
static_assert(std::has_unique_object_representations_v<UseRecord>);  // no padding
static_assert(offsetof(UseRecord, checksum) == 128);

// One search (a hit or a miss) or one block kept; or, after compact(), the sum of several that
// have the same origin, root and leaf.
struct Use {
  std::chrono::milliseconds time{0};  // since 1970; of a sum, the latest
  std::int64_t origin = 0;            // the conversation; 0: none
  BlockKey root{};
  BlockKey leaf{};    // the deepest block found or kept; all zero: a miss, or a block that is gone
  BlockKey parent{};  // of the leaf: stands in for a tail that a longer one has replaced
  std::uint64_t n_hits = 0;    // searches that found something
  std::uint64_t n_misses = 0;  // searches that did not
  std::uint64_t n_kept = 0;    // blocks
  std::uint64_t tokens_wanted = 0;
  std::uint64_t tokens_found = 0;
  std::uint64_t bytes_mapped = 0;
  std::uint64_t bytes_copied = 0;

  bool operator==(const Use&) const = default;
};

// The present, as Use::time has it.
std::chrono::milliseconds use_time_now() noexcept;

class UseLog {
 public:
  // Above this a log is worth compacting.
  static constexpr std::uint64_t kLargeBytes = std::uint64_t{4} << 20;

  explicit UseLog(const std::filesystem::path& directory);  // of the cache

  void append(const Use& use) const noexcept;
  // What is valid, in the order of the file; the rest is skipped.
  std::vector<Use> read() const;
  bool is_large() const noexcept;

  // Adds up the uses of one conversation and one leaf, so that sums over the whole log stay what
  // they were. In place of a leaf that is gone its parent counts, or all those gone as one. False:
  // it is as it was before. Of two programs that compact at the same time one loses its work, of
  // one that appends meanwhile at most a record.
  bool compact(const std::function<bool(const BlockKey& root, const BlockKey& leaf)>& exists) const;
  // Like compact(), and the conversation's uses become those of no conversation and no block.
  bool forget(std::int64_t origin) const;

 private:
  bool rewrite(const std::function<void(Use&)>& edit) const;

  std::filesystem::path path_;
};

}  // namespace confab::sessions
