// SPDX-License-Identifier: MIT
#include "sessions/conversations/token_ids.h"

#include <limits>

namespace confab::sessions {

std::string encode_token_ids(std::span<const std::int32_t> ids) {
  std::string blob;
  blob.reserve(ids.size() * 2);
  for (const std::int32_t id : ids) {
    auto rest = static_cast<std::uint32_t>(id);
    for (; rest >= 0x80; rest >>= 7) blob += static_cast<char>((rest & 0x7f) | 0x80);
    blob += static_cast<char>(rest);
  }
  return blob;
}

std::optional<std::vector<std::int32_t>> decode_token_ids(std::string_view blob) {
  std::vector<std::int32_t> ids;
  std::uint64_t value = 0;
  int shift = 0;
  for (const char c : blob) {
    const auto byte = static_cast<unsigned char>(c);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    if ((byte & 0x80) != 0) {
      shift += 7;
      if (shift > 28) return std::nullopt;
      continue;
    }
    if (byte == 0 && shift > 0) return std::nullopt;  // a longer form of a shorter number
    ids.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(value)));
    value = 0;
    shift = 0;
  }
  if (shift != 0) return std::nullopt;
  return ids;
}

}  // namespace confab::sessions
