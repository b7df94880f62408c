// SPDX-License-Identifier: MIT
// The names of KV blocks: a key stands for all tokens from the first up to the end of its block.
// See FORMAT.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace confab::sessions {

// XXH3-128 in its canonical (big-endian) form. It finds blocks; it does not prove that they are
// right.
using BlockKey = std::array<std::byte, 16>;

BlockKey hash_of(std::string_view bytes);
// The key that comes before the first block.
BlockKey root_key(std::string_view fingerprint, int block_tokens);
// The key of the block, full or tail, that holds these tokens after the block `parent`.
BlockKey child_key(const BlockKey& parent, std::span<const std::int32_t> tokens);

std::string to_hex(const BlockKey& key);  // 32 lower-case digits
std::optional<BlockKey> key_from_hex(std::string_view hex);

}  // namespace confab::sessions
