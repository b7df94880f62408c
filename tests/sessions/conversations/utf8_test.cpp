// SPDX-License-Identifier: MIT
#include "sessions/conversations/utf8.h"

#include <gtest/gtest.h>

namespace confab::sessions {
namespace {

TEST(Utf8Test, CodePointsComeBack) {
  for (const char32_t c : {U'\0', U'a', U'\x7f', U'\x80', U'é', U'\x7ff', U'\x800', U'語',
                           U'\xffff', U'\x10000', U'🦊', U'\x10ffff'}) {
    std::string text;
    append_utf8(text, c);
    const std::size_t n = text.size();
    const CodePoint got = first_code_point(text + "x");
    EXPECT_EQ(got.value, c);
    EXPECT_EQ(got.n_bytes, n);
  }
}

TEST(Utf8Test, BytesThatAreNoneAreReplacedOneByOne) {
  for (const char* bad : {"\x80", "\xc3", "\xc3(", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xff", "\xe8\xaa"}) {
    const CodePoint got = first_code_point(bad);
    EXPECT_EQ(got.value, char32_t{0xFFFD}) << bad;
    EXPECT_EQ(got.n_bytes, 1u) << bad;
  }
}

}  // namespace
}  // namespace confab::sessions
