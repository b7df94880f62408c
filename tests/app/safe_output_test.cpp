// SPDX-License-Identifier: MIT
#include "app/safe_output.h"

#include <gtest/gtest.h>

#include <sstream>

namespace confab::app {
namespace {

TEST(SafeOutputTest, OnATerminalNothingControls) {
  std::ostringstream out;
  {
    const SafeOutput safe(out, true);
    out << "a\x1b[31m" << 'b' << '\xc2';
    out << "\x9bm\n" << 7 << "\xf0\x9f" << std::flush;
  }
  EXPECT_EQ(out.str(), "a\u241b[31mb\u241b[m\n7\uFFFD");
  out << "\x1b";
  EXPECT_TRUE(out.str().ends_with("\x1b")) << "the stream is as it was";
}

TEST(SafeOutputTest, ElsewhereEveryByteStays) {
  std::ostringstream out;
  {
    const SafeOutput safe(out, false);
    out << "a\x1b[31m\xff";
  }
  EXPECT_EQ(out.str(), "a\x1b[31m\xff");
}

TEST(SafeOutputTest, AFullDiskStaysAnError) {
  std::ostringstream out;
  {
    const SafeOutput safe(out, true);
    out.setstate(std::ios::failbit);
  }
  EXPECT_TRUE(out.fail());
}

}  // namespace
}  // namespace confab::app
