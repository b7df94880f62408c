// SPDX-License-Identifier: MIT
#include "app/commands/pasted_paths.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

TEST(PastedPathsTest, WhatStandsBehindAnAtWasPasted) {
  PastedPaths pasted;
  EXPECT_FALSE(pasted.has("/etc/passwd"));
  pasted.add("Look at @/etc/passwd, and @\"a b.txt\"\rwrite to me@example.org @");
  for (const char* path : {"/etc/passwd", "/etc/passwd,", "a b.txt", "example.org"})
    EXPECT_TRUE(pasted.has(path)) << path;
  for (const char* path : {"/etc/hosts", "b.txt", "me", "notes.md"})
    EXPECT_FALSE(pasted.has(path)) << path;
}

TEST(PastedPathsTest, APathThatWasWrittenOnWasPastedToo) {
  PastedPaths pasted;
  pasted.add("@/etc/pas");
  pasted.add("@\"/home/of some");
  EXPECT_TRUE(pasted.has("/etc/passwd"));
  EXPECT_TRUE(pasted.has("/home/of somebody/x"));
}

TEST(PastedPathsTest, OneThatIsAllowedIsAsIfItHadBeenTypedUntilItIsPastedAgain) {
  PastedPaths pasted;
  pasted.add("@a.txt @b.txt");
  pasted.allow("a.txt");
  EXPECT_FALSE(pasted.has("a.txt"));
  EXPECT_TRUE(pasted.has("b.txt"));
  pasted.add("@a.txt");
  EXPECT_TRUE(pasted.has("a.txt"));
}

TEST(PastedPathsTest, WhereThereAreTooManyAnyMayBeOne) {
  PastedPaths pasted;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "@" + std::to_string(i) + " ";
  pasted.add(text);
  EXPECT_TRUE(pasted.has("notes.md"));
}

}  // namespace
}  // namespace confab::app
