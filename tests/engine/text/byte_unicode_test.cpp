// SPDX-License-Identifier: MIT
#include "engine/text/byte_unicode.h"

#include <gtest/gtest.h>

#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

TEST(ByteUnicodeTest, EveryByteHasItsCharacter) {
  std::string written, bytes;
  for (int byte = 0; byte < 256; ++byte) {
    written += byte_character(byte);
    bytes += static_cast<char>(byte);
  }
  std::string out = "before ";
  EXPECT_TRUE(append_bytes(written, out));
  EXPECT_EQ(out, "before " + bytes);
}

TEST(ByteUnicodeTest, KnownCharacters) {
  std::string out;
  EXPECT_TRUE(append_bytes("ĠHelloĊ", out));
  EXPECT_EQ(out, " Hello\n");
}

TEST(ByteUnicodeTest, OtherCharactersAreRefused) {
  // A space, U+0144, U+00AD, U+2581, half a character.
  for (const char* text : {"a b", "a\u0144", "\u00AD", "\u2581", "a\xC4", "\xC4z", "\x80"}) {
    std::string out = "kept";
    EXPECT_FALSE(append_bytes(text, out)) << text;
    EXPECT_EQ(out, "kept");
  }
}

}  // namespace
}  // namespace confab::engine
