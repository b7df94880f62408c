// SPDX-License-Identifier: MIT
#include "tests/ui/escape_scanner.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

TEST(EscapeScannerTest, KnowsOurOwn) {
  for (const char* own :
       {"plain text é 界 👩‍👩‍👧 🏴\U000E0067\U000E0062\U000E007F",
        "\x1b[?2026h\x1b[2;5r\x1b[5H\n\x1bM\x1b[r\x1b[12G\x1b[K", "\x1b[0;1;38;2;1;2;3m",
        "\x1b]8;id=1f;https://a.example/?q=;\x1b\\x\x1b]8;;\x1b\\", "\x1b]52;c;aGk=\x1b\\",
        "\x1b]11;?\x1b\\\x1b[?2026$p\x1b[>0q\x1b[c"})
    EXPECT_EQ(foreign_sequence(own), std::nullopt) << testing::PrintToString(own);
}

TEST(EscapeScannerTest, FindsAllOthers) {
  for (const std::string other : {"\x1b",
                                  "\x1b[",
                                  "\x1b[2J",
                                  "\x1b[5;6;7H",
                                  "\x1b]0;title\x1b\\",
                                  "\x1b]0;title\a",
                                  "\a",
                                  "\x1b]8;;https://a.example\x1b\\",
                                  "\x1b]8;id=1;a b\x1b\\",
                                  "\x1b]52;c;?\x1b\\",
                                  "\x1b]52;c;aGk=\a",
                                  "\x1bP$qm\x1b\\",
                                  "\x1b_x\x1b\\",
                                  "\x1b^x\x1b\\",
                                  "\x1bXx\x1b\\",
                                  "\x1b[6c",
                                  "\x1b[?1006$p",
                                  "\x1b[20t",
                                  "\x1b[1;2;3;x",
                                  "\x1b(0",
                                  "\x1b"
                                  "c",
                                  "\x9b",
                                  "\xc2\x9b",
                                  "\xe2\x80\xae",
                                  "\xf3\xa0\x81\x81",
                                  "\xc0\x9b",
                                  "\xed\xa0\x80",
                                  "\x7f",
                                  "\x0e"}) {
    const auto found = foreign_sequence("before " + other + " after");
    ASSERT_TRUE(found) << testing::PrintToString(other);
    EXPECT_TRUE(found->starts_with(other)) << testing::PrintToString(other);
  }
}

}  // namespace
}  // namespace confab::ui
