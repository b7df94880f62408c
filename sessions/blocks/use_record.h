// SPDX-License-Identifier: MIT
// The bytes of the use log, shared by its reader and its writer. See FORMAT.md, "The use log".
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sessions/blocks/block_key.h"

namespace confab::sessions {

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

}  // namespace confab::sessions
