// SPDX-License-Identifier: MIT
#include "engine/error.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

TEST(PrintableTest, KeepsPrintableAsciiOnly) {
  EXPECT_EQ(printable("blk.0.attn_q.weight"), "blk.0.attn_q.weight");
  EXPECT_EQ(printable("a\x1b[31m\nb\x7f\xc2\x9b"), "a\\x1b[31m\\x0ab\\x7f\\xc2\\x9b");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(PrintableTest, CutsLongText) {
  EXPECT_EQ(printable(std::string(100, 'x')), std::string(100, 'x'));
  EXPECT_EQ(printable(std::string(1'000'000, 'x')), std::string(100, 'x') + "...");
}

}  // namespace
}  // namespace confab::engine
