// SPDX-License-Identifier: MIT
// One KV block file. It is written once and then only read, and nothing in it is trusted before it
// is checked.
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

struct BlockHead {  // what a block says about itself
  BlockKey root{};
  BlockKey parent{};
  BlockKey key{};
  int index = 0;
  int block_tokens = 0;
  std::vector<std::int32_t> tokens;  // the block is full if there are block_tokens of them

  bool is_full() const noexcept { return static_cast<int>(tokens.size()) == block_tokens; }
  bool operator==(const BlockHead&) const = default;
};

enum class BlockStatus {
  ok,
  missing,
  unavailable,  // cannot be opened at the moment: too many open files, no permission
  damaged,      // not a block file, truncated, or owned by another user: remove it
};

// An open file whose trailer has been checked; its payload has not.
class BlockFile {
 public:
  explicit BlockFile(const std::filesystem::path& path);

  BlockStatus status() const noexcept { return status_; }
  const BlockHead& head() const noexcept {
    return head_;
  }  // valid if ok, as are the functions below
  std::uint64_t payload_bytes() const noexcept { return payload_bytes_; }
  // Checks the whole payload against its checksums, then maps it. n_tokens says how many of its
  // first tokens were asked for. Returns nullopt if the payload is damaged or cannot be mapped.
  std::optional<KvBlock> map(int n_tokens) const;
  // The same, with a copy of the payload.
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

// Bytes in consecutive pieces, each with its own checksum.
struct SegmentedBytes {
  std::span<const std::byte> bytes;
  std::span<const std::uint64_t> segments;  // sizes, none 0; they add up to all of the bytes
};

// Everything that follows the payload in its file.
std::string encode_trailer(const BlockHead& head, const SegmentedBytes& payload);

}  // namespace confab::sessions
