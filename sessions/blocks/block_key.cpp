// SPDX-License-Identifier: MIT
#include "sessions/blocks/block_key.h"

#include <xxhash.h>

#include <bit>
#include <cstring>

#include "sessions/blocks/block_format.h"

namespace confab::sessions {
namespace {

static_assert(std::endian::native == std::endian::little, "token ids are hashed as they lie");

void append(std::string& out, const void* bytes, std::size_t n) {
  out.append(static_cast<const char*>(bytes), n);
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

BlockKey hash_of(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  BlockKey key;
  static_assert(sizeof canonical.digest == sizeof key);
  std::memcpy(key.data(), canonical.digest, key.size());
  return key;
}

BlockKey root_key(std::string_view fingerprint, int block_tokens) {
  const auto n = static_cast<std::uint32_t>(block_tokens);
  std::string bytes;
  append(bytes, kTrailerMagic.data(), kTrailerMagic.size());
  append(bytes, &n, sizeof n);
  append(bytes, fingerprint.data(), fingerprint.size());
  return hash_of(bytes);
}

BlockKey child_key(const BlockKey& parent, std::span<const std::int32_t> tokens) {
  std::string bytes;
  bytes.reserve(parent.size() + tokens.size_bytes());
  append(bytes, parent.data(), parent.size());
  append(bytes, tokens.data(), tokens.size_bytes());
  return hash_of(bytes);
}

std::string to_hex(const BlockKey& key) {
  std::string hex;
  for (const std::byte b : key) {
    hex += "0123456789abcdef"[std::to_integer<unsigned>(b >> 4)];
    hex += "0123456789abcdef"[std::to_integer<unsigned>(b & std::byte{15})];
  }
  return hex;
}

std::optional<BlockKey> key_from_hex(std::string_view hex) {
  BlockKey key;
  if (hex.size() != 2 * key.size()) return std::nullopt;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const int high = digit(hex[2 * i]);
    const int low = digit(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    key[i] = static_cast<std::byte>(high << 4 | low);
  }
  return key;
}

}  // namespace confab::sessions
