// SPDX-License-Identifier: MIT
#include "ui/link_target.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

TEST(LinkTargetTest, AllowsTheWebAndMail) {
  EXPECT_EQ(link_target("https://x.y/?a=b#c"), "https://x.y/?a=b#c");
  EXPECT_EQ(link_target("HTTP://x.y"), "HTTP://x.y");
  EXPECT_EQ(link_target("mailto:a@b.c"), "mailto:a@b.c");
}

TEST(LinkTargetTest, RefusesAllElse) {
  for (const char* url :
       {"", "x", "https", "https://", "ftp://x.y/z", "http:x", "javascript:alert(1)",
        "file:///etc/passwd", "docs/a.md", "#a", "//x.y", ":x"})
    EXPECT_EQ(link_target(url), "") << url;
  EXPECT_EQ(link_target("https://x.y/" + std::string(3000, 'a')), "");
  EXPECT_EQ(link_target("https://" + std::string(1000, ' ')), "");
}

TEST(LinkTargetTest, EncodesWhatIsNotPrintableAscii) {
  EXPECT_EQ(link_target("https://x.y/a b\x1b\\é"), "https://x.y/a%20b%1B\\%C3%A9");
}

}  // namespace
}  // namespace confab::ui
