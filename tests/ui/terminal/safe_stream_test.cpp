// SPDX-License-Identifier: MIT
#include "ui/terminal/safe_stream.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/ui/escape_corpus.h"
#include "tests/ui/escape_scanner.h"
#include "ui/locale.h"

namespace confab::ui {
namespace {

std::string filtered(const std::string& text) {
  use_utf8_locale();
  return EditorFilter().feed(text);
}

TEST(SafeStreamTest, TheEditorsOwnSequencesAndTextPass) {
  const std::string text = "\r\x1b[C\x1b[7mé 界 👩‍👩‍👧\x1b[27m\x1b[K\b\a";
  EXPECT_EQ(filtered(text), text);
}

TEST(SafeStreamTest, WhatCouldDriveTheTerminalKeepsItsColumns) {
  EXPECT_EQ(filtered("a\u009b31mb"), "a\uFFFD31mb");
  EXPECT_EQ(filtered("a\u202eb\u2066"), "ab");
  EXPECT_EQ(filtered("a\x9b\xff\xe2\x82(b"), "a\uFFFD\uFFFD\uFFFD\uFFFD(b");
  EXPECT_EQ(filtered("a\U000e0041b"), "ab");
}

// What is left are C0 controls, which readline shows as ^[ and so on.
TEST(SafeStreamTest, NothingOfTheCorpusPassesWhereverItIsCut) {
  for (std::string sequence : escape_corpus()) {
    std::erase_if(sequence, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; });
    const std::string whole = filtered(sequence + ".");
    EXPECT_EQ(foreign_sequence(whole), std::nullopt) << testing::PrintToString(sequence);
    for (const std::size_t at : split_points(sequence)) {
      EditorFilter filter;
      std::string out = filter.feed(sequence.substr(0, at));
      out += filter.feed(sequence.substr(at) + ".");
      ASSERT_EQ(out, whole) << testing::PrintToString(sequence) << " at " << at;
    }
  }
}

TEST(SafeStreamTest, WritesToItsDescriptor) {
  use_utf8_locale();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::FILE* stream = open_safe_stream(ends[1]);
  ASSERT_NE(stream, nullptr);
  std::fputs("a\u009b", stream);
  std::fflush(stream);
  char buffer[16];
  const ssize_t n = read(ends[0], buffer, sizeof buffer);
  EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(n)), "a\uFFFD");
  EXPECT_EQ(std::fclose(stream), 0);
  for (const int fd : ends) EXPECT_EQ(close(fd), 0) << "the descriptor is not the stream's";
}

}  // namespace
}  // namespace confab::ui
