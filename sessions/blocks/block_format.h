// SPDX-License-Identifier: MIT
// The bytes of a KV block file, shared by its reader and its writer. See FORMAT.md.
//
//   file := payload TrailerHead token_ids segments Footer
//
// The payload is at offset 0, so that it can be mapped. Nothing is padded, and numbers are
// little-endian. Structures are copied in and out, never overlaid.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sessions/blocks/block_key.h"

namespace confab::sessions {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::array<char, 8> kTrailerMagic{'C', 'F', 'K', 'V', 'B', 'L', 'K', '1'};
inline constexpr std::array<char, 8> kFooterMagic{'1', 'K', 'L', 'B', 'V', 'K', 'F', 'C'};
inline constexpr std::uint32_t kBlockFormatVersion = 2;

// More than any block needs. These limits bound what is read before a checksum has been verified.
inline constexpr std::uint64_t kMaxTrailerBytes = 16 * 1024 * 1024;
inline constexpr std::uint64_t kMaxPayloadBytes = std::uint64_t{1} << 36;

struct TrailerHead {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t block_tokens;  // of a full block
  std::uint32_t n_tokens;      // of this block: 1 to block_tokens
  std::uint32_t index;         // number of blocks before it
  std::uint32_t n_segments;
  std::uint32_t zero;
  std::uint64_t payload_bytes;
  BlockKey root;
  BlockKey parent;
  BlockKey key;
};
static_assert(sizeof(TrailerHead) == 88 && std::is_trivially_copyable_v<TrailerHead>);
static_assert(std::has_unique_object_representations_v<TrailerHead>);  // no padding

struct Segment {  // a piece of the payload, directly after the previous one
  std::uint64_t n_bytes;
  std::uint64_t checksum;  // XXH3-64
};
static_assert(sizeof(Segment) == 16 && std::has_unique_object_representations_v<Segment>);

struct Footer {
  std::uint64_t payload_bytes;
  std::uint64_t trailer_bytes;  // TrailerHead, token ids and segments
  std::uint64_t file_bytes;
  std::uint64_t checksum;  // XXH3-64 of all bytes from the payload's end up to this field
  std::array<char, 8> magic;
};
static_assert(sizeof(Footer) == 40 && std::is_trivially_copyable_v<Footer>);
static_assert(std::has_unique_object_representations_v<Footer>);
static_assert(offsetof(Footer, checksum) == 24);

}  // namespace confab::sessions
