// SPDX-License-Identifier: MIT
#include "app/attach.h"

#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

TEST(AttachTest, AQuestionAloneStaysAsItIs) {
  EXPECT_EQ(compose_prompt({}, "Why?"), "Why?");
}

TEST(AttachTest, WhatIsPipedComesBeforeTheQuestion) {
  EXPECT_EQ(compose_prompt({{"-", "one\ntwo\n"}}, "Summarise"), "one\ntwo\n\nSummarise");
  EXPECT_EQ(compose_prompt({{"-", "no line end"}}, "Summarise"), "no line end\n\nSummarise");
}

TEST(AttachTest, FilesAreNamedAndFenced) {
  EXPECT_EQ(compose_prompt({{"a.md", "alpha\n"}, {"b.md", "beta"}}, "Compare"),
            "a.md:\n```\nalpha\n```\n\nb.md:\n```\nbeta\n```\n\nCompare");
}

TEST(AttachTest, AFileCannotCloseItsFence) {
  EXPECT_EQ(compose_prompt({{"x", "```\n````\n"}}, "?"), "x:\n`````\n```\n````\n`````\n\n?");
}

TEST(AttachTest, ReadsFilesAndRefusesWhatIsNoText) {
  const TempDir dir;
  EXPECT_EQ(read_attachment(dir.file("a.txt", "hello")).name, "a.txt");
  EXPECT_EQ(read_attachment(dir.file("a.txt", "hello")).text, "hello");
  const std::string binary = dir.file("b.bin", std::string("ab\0c", 4));
  try {
    read_attachment(binary);
    FAIL() << "a NUL byte must be refused";
  } catch (const UserError& fault) {
    EXPECT_EQ(std::string(fault.what()), binary + ": is no text file (a NUL byte at offset 2)");
  }
  EXPECT_THROW(read_attachment((dir.path() / "missing").string()), UserError);
  EXPECT_THROW(read_attachment(dir.path().string()), UserError);
}

TEST(AttachTest, HashesTellContentsApart) {
  EXPECT_EQ(content_hash("").size(), 32U);
  EXPECT_EQ(content_hash("a"), content_hash("a"));
  EXPECT_NE(content_hash("a"), content_hash("b"));
}

}  // namespace
}  // namespace confab::app
