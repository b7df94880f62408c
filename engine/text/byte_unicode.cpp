// SPDX-License-Identifier: MIT
#include "engine/text/byte_unicode.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/utf8.h"

namespace confab::engine {
namespace {

constexpr bool stands_for_itself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// byte_of[code point], -1: stands for none. The bytes that are not printable characters of Latin-1
// follow each other from U+0100.
constexpr auto kByteOf = [] {
  std::array<std::int16_t, 0x144> byte_of{};
  for (auto& byte : byte_of) byte = -1;
  std::size_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    const std::size_t code_point =
        stands_for_itself(byte) ? static_cast<std::size_t>(byte) : next++;
    byte_of[code_point] = static_cast<std::int16_t>(byte);
  }
  return byte_of;
}();

}  // namespace

bool append_bytes(std::string_view text, std::string& out) {
  const std::size_t before = out.size();
  while (!text.empty()) {
    const auto [code_point, size, cut] = read_utf8(text);
    text.remove_prefix(size);
    if (code_point >= kByteOf.size() || kByteOf[code_point] < 0) {
      out.resize(before);
      return false;
    }
    out += static_cast<char>(kByteOf[code_point]);
  }
  return true;
}

}  // namespace confab::engine
