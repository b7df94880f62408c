// SPDX-License-Identifier: MIT
// One KV block file: written once, then only read, and believed only as far as it was checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sessions/blocks/block_format.h"
#include "sessions/blocks/block_key.h"
#include "sessions/blocks/kv_block.h"
#include "sessions/fd.h"

namespace confab::sessions {

struct BlockHead {  // what a block says of itself
  BlockKey root{};
  BlockKey parent{};
  BlockKey key{};
  int index = 0;
  int block_tokens = 0;
  std::vector<std::int32_t> tokens;  // full when there are block_tokens of them

  bool is_full() const noexcept { return static_cast<int>(tokens.size()) == block_tokens; }
  bool operator==(const BlockHead&) const = default;
};

enum class BlockStatus {
  ok,
  missing,
  unavailable,  // cannot be opened just now: too many open files, no permission
  damaged,      // not a block file, or not a whole one, or not ours: remove it
};

// A file that is open and whose trailer has been checked, the payload not yet.
class BlockFile {
 public:
  explicit BlockFile(const std::filesystem::path& path);

  BlockStatus status() const noexcept { return status_; }
  const BlockHead& head() const noexcept { return head_; }  // if ok, as the ones below
  std::uint64_t payload_bytes() const noexcept { return payload_bytes_; }
  // Compares the payload with its checksums, all of it, then maps it; the first n_tokens are those
  // asked for. nullopt: it is damaged, or cannot be mapped.
  std::optional<KvBlock> map(int n_tokens) const;
  // The same with a copy of the payload.
  std::optional<KvBlock> read(int n_tokens) const;

 private:
  BlockStatus examine();
  bool parse(std::span<const std::byte> trailer);
  bool verify(std::span<std::byte> copy) const;

  Fd fd_;
  BlockStatus status_ = BlockStatus::missing;
  BlockHead head_;
  std::uint64_t payload_bytes_ = 0;
  std::vector<Segment> segments_;
};

// Bytes whose pieces, one after the other, are checksummed apart.
struct SegmentedBytes {
  std::span<const std::byte> bytes;
  std::span<const std::uint64_t> segments;  // sizes, not 0, that add up to all of the bytes
};

// All that follows the payload in its file.
std::string encode_trailer(const BlockHead& head, const SegmentedBytes& payload);

}  // namespace confab::sessions
