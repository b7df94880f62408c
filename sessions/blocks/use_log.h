// SPDX-License-Identifier: MIT
// The log of how often the prompt cache was useful, for which conversation, and up to which block.
// `confab cache` shows it, and deleting a conversation uses it. It contains no text, and it is as
// disposable as the blocks: any failure with it is ignored. See FORMAT.md, "The use log".
//
// Any number of programs may append to one log at the same time. All functions may be called from
// any thread.
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
  std::uint64_t checksum;  // XXH3-64 of all preceding bytes
};
static_assert(sizeof(UseRecord) == 136 && std::is_trivially_copyable_v<UseRecord>);
static_assert(std::has_unique_object_representations_v<UseRecord>);  // no padding
static_assert(offsetof(UseRecord, checksum) == 128);

// One search (a hit or a miss) or one block kept. After compact(): the sum of all with the same
// origin, root and leaf.
struct Use {
  std::chrono::milliseconds time{0};  // since 1970; in a sum, the latest
  std::int64_t origin = 0;            // the conversation; 0: none
  BlockKey root{};
  BlockKey leaf{};    // the deepest block found or kept; all zero: a miss, or the block is gone
  BlockKey parent{};  // of the leaf; stands in for a tail that a longer one has replaced
  std::uint64_t n_hits = 0;    // searches that found something
  std::uint64_t n_misses = 0;  // searches that did not
  std::uint64_t n_kept = 0;    // blocks
  std::uint64_t tokens_wanted = 0;
  std::uint64_t tokens_found = 0;
  std::uint64_t bytes_mapped = 0;
  std::uint64_t bytes_copied = 0;

  bool operator==(const Use&) const = default;
};

// The current time, in the form of Use::time.
std::chrono::milliseconds use_time_now() noexcept;

class UseLog {
 public:
  // A log larger than this is worth compacting.
  static constexpr std::uint64_t kLargeBytes = std::uint64_t{4} << 20;

  explicit UseLog(const std::filesystem::path& directory);  // the cache's directory

  void append(const Use& use) const noexcept;
  // The valid records, in the order of the file; the rest is skipped.
  std::vector<Use> read() const;
  bool is_large() const noexcept;

  // Adds up the uses that share a conversation and a leaf, so that sums over the whole log do not
  // change. A leaf that is gone is replaced by its parent; if that is gone too, by no block.
  // Returns false if the log could not be rewritten and is unchanged. If two programs compact at
  // the same time, one loses its work; a program that appends meanwhile loses at most one record.
  bool compact(const std::function<bool(const BlockKey& root, const BlockKey& leaf)>& exists) const;
  // Like compact(), but also turns the uses of this conversation into uses of no conversation and
  // no block.
  bool forget(std::int64_t origin) const;

 private:
  bool rewrite(const std::function<void(Use&)>& edit) const;

  std::filesystem::path path_;
};

}  // namespace confab::sessions
