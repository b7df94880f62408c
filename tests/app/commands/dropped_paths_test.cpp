// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include "app/commands/pasted_paths.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

class DroppedPathsTest : public testing::Test {
 protected:
  DroppedPathsTest() { dir_.file("a b.txt", "x"); }

  TempDir dir_;
  const std::string plain_ = dir_.file("a.txt", "x");
  const std::string folder_ = dir_.path().string();
};

TEST_F(DroppedPathsTest, PathsOfFilesBecomeMentions) {
  const std::string both = "@" + plain_ + " @\"" + folder_ + "/a b.txt\" ";
  EXPECT_EQ(dropped_paths(plain_), "@" + plain_ + " ");
  EXPECT_EQ(dropped_paths(folder_ + "\n"), "@" + folder_ + " ");
  EXPECT_EQ(dropped_paths(plain_ + " '" + folder_ + "/a b.txt' "), both);
  EXPECT_EQ(dropped_paths(plain_ + " " + folder_ + "/a\\ b.txt"), both);
  EXPECT_EQ(dropped_paths("\"" + plain_ + "\" file://" + folder_ + "/a%20b.txt"), both);
}

TEST_F(DroppedPathsTest, AnyOtherTextStaysAsItIs) {
  for (const std::string& text :
       {std::string(), std::string(" \n"), "see " + plain_, plain_ + "x", std::string("a.txt"),
        plain_ + "\n" + plain_, "'" + plain_, std::string("/dev/null"), std::string("@") + plain_,
        "file://" + folder_ + "/%zz"})
    EXPECT_EQ(dropped_paths(text), std::nullopt) << text;
}

// The person is asked before a file goes with the question: who filled the clipboard may want it.
TEST_F(DroppedPathsTest, WhatWasDroppedCountsAsPasted) {
  PastedPaths pasted;
  pasted.add(*dropped_paths("'" + folder_ + "/a b.txt'"));
  EXPECT_TRUE(pasted.has(folder_ + "/a b.txt"));
}

}  // namespace
}  // namespace confab::app
