// SPDX-License-Identifier: MIT
#include "ui/code/line_scanner.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/ui/code/highlight_marks.h"

namespace confab::ui {
namespace {

template <typename State>
std::string scanned(void (*scan)(State&, std::string_view, SpanWriter&), std::string_view text) {
  State state;
  std::string out;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    SpanWriter spans(line);
    scan(state, line, spans);
    out += (out.empty() ? "" : "\n") + marked(spans.take());
  }
  return out;
}

TEST(ScanDiffTest, TellsHeadersFromChanges) {
  EXPECT_EQ(scanned(scan_diff, "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n a\n-b\n+c"),
            "[meta|diff --git a/x b/x]\n[meta|--- a/x]\n[meta|+++ b/x]\n[meta|@@ -1,2 +1 @@]\n a\n"
            "[diff_removed|-b]\n[diff_added|+c]");
}

TEST(ScanDiffTest, RemovedLinesMayLookLikeHeaders) {
  EXPECT_EQ(scanned(scan_diff, "@@ -1 +1 @@\n--- x\n+++ y\n--- a/z"),
            "[meta|@@ -1 +1 @@]\n[diff_removed|--- x]\n[diff_added|+++ y]\n[meta|--- a/z]");
}

TEST(ScanMarkdownTest, TellsBlocksAndCode) {
  EXPECT_EQ(scanned(scan_markdown, "# T\n- a `b` [c](d)\n10. x\n> q\n```py\nx\n```\n#tag"),
            "[keyword|# T]\n[function|-] a [string|`b`] [c]([type|d])\n[function|10.] x\n"
            "[comment|> q]\n[meta|```py]\n[string|x]\n[meta|```]\n#tag");
}

TEST(ScanMarkdownTest, WhatIsNotClosedIsProse) {
  EXPECT_EQ(scanned(scan_markdown, "a ``b [c](d \\` e`"), "a ``b [c](d \\` e`");
}

TEST(ScanConsoleTest, HighlightsCommandsOnly) {
  EXPECT_EQ(scanned(scan_console, "$ ls -l | wc\nif x\nme@host:~/a$ cd \"b"),
            "[meta|$ ][function|ls] -l | [function|wc]\nif x\n"
            "[meta|me@host:~/a$ ][function|cd] [string|\"b]");
}

TEST(ScanConsoleTest, CommandsGoOnBelow) {
  EXPECT_EQ(scanned(scan_console, "$ make \\\n  all\nall done"),
            "[meta|$ ][function|make] \\\n  all\nall done");
}

}  // namespace
}  // namespace confab::ui
