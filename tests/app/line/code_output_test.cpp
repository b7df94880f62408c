// SPDX-License-Identifier: MIT
#include "app/line/code_output.h"

#include <gtest/gtest.h>

#include "tests/app/line/written.h"

namespace confab::app {
namespace {

// However the text is cut.
std::string code_in(const std::string& answer, const std::string& language = "") {
  std::string whole;
  for (std::size_t step = 1; step <= answer.size() + 1; ++step) {
    CodeFinder finder(language);
    std::string code;
    for (std::size_t at = 0; at < answer.size(); at += step)
      code += finder.feed(std::string_view(answer).substr(at, step));
    code += finder.finish();
    code += finder.is_complete() ? "." : finder.has_begun() ? "..." : "none";
    if (step == 1) whole = code;
    EXPECT_EQ(code, whole) << step;
  }
  return whole;
}

TEST(CodeFinderTest, TheFirstBlockAloneCounts) {
  EXPECT_EQ(code_in("Here:\n```python\nprint(1)\n\nprint(2)\n```\nand\n```\nother\n```\n"),
            "print(1)\n\nprint(2)\n.");
  EXPECT_EQ(code_in("```\na\n```"), "a\n.") << "the last line may lack its end";
  EXPECT_EQ(code_in("~~~\r\na\r\n~~~\r\n"), "a\n.");
  EXPECT_EQ(code_in("no code, only `this` and ``` that"), "none");
  EXPECT_EQ(code_in(""), "none");
}

TEST(CodeFinderTest, OfALanguageUnderAnyOfItsNames) {
  const std::string answer = "```sh\nls\n```\n```cpp\nint a;\n```\n```python\nx\n```\n";
  EXPECT_EQ(code_in(answer, "python"), "x\n.");
  EXPECT_EQ(code_in(answer, "py"), "x\n.");
  EXPECT_EQ(code_in(answer, "C++"), "int a;\n.");
  EXPECT_EQ(code_in(answer, "bash"), "ls\n.");
  EXPECT_EQ(code_in(answer, "rust"), "none");
  EXPECT_EQ(code_in("```\nx\n```\n", "python"), "none") << "a block that does not say";
  EXPECT_EQ(code_in("```frobnicate\nx\n```\n", "Frobnicate"), "x\n.");
}

TEST(CodeFinderTest, AFenceInsideAnotherOneIsCode) {
  EXPECT_EQ(code_in("````md\n```\na\n```\n````\n"), "```\na\n```\n.");
  EXPECT_EQ(code_in("```md\n    ```\n```\n"), "    ```\n.");
  EXPECT_EQ(code_in("~~~\n```\n~~~\n"), "```\n.");
  EXPECT_EQ(code_in("````sh\n```py\nno\n```\n````\n```py\nyes\n```\n", "py"), "yes\n.");
}

TEST(CodeFinderTest, CodeInAListLosesTheListsIndent) {
  EXPECT_EQ(code_in("1. first:\n\n    ```py\n    if a:\n        b\n\n    ```\n"),
            "if a:\n    b\n\n.");
}

TEST(CodeFinderTest, ABlockThatIsCutOffIsGivenAsFarAsItGoes) {
  EXPECT_EQ(code_in("```\na\nb"), "a\nb\n...");
}

TEST(CodeOutputTest, TheAnswerIsStoppedBehindTheBlock) {
  Written written;
  CodeOutput output(written.out, written.side, "");
  EXPECT_EQ(output.text(0, "Here:\n```\na\n"), Wants::more);
  EXPECT_EQ(output.text(0, "```\nThis"), Wants::no_more);
  EXPECT_EQ(output.finish(ExitStatus::success), ExitStatus::success);
  EXPECT_EQ(written.answer(), "a\n");
  EXPECT_EQ(written.lines(), "");
}

TEST(CodeOutputTest, WithoutABlockTheAnswerIsOnStandardError) {
  Written written;
  CodeOutput output(written.out, written.side, "python");
  output.text(0, "I \x1b[1mcannot.\n");
  EXPECT_EQ(output.finish(ExitStatus::success), ExitStatus::no_valid_answer);
  EXPECT_EQ(written.answer(), "");
  EXPECT_EQ(written.lines(),
            "I \u241B[1mcannot.\nconfab: there is no python code block in this answer\n");
}

TEST(CodeOutputTest, WhatWasCutOffInTheBlockIsTold) {
  Written written;
  CodeOutput output(written.out, written.side, "");
  output.text(0, "```\na\nb");
  EXPECT_EQ(output.finish(ExitStatus::cut_off), ExitStatus::cut_off);
  EXPECT_EQ(written.answer(), "a\nb\n");
}

TEST(CodeOutputTest, AFailureStaysOne) {
  Written written;
  CodeOutput output(written.out, written.side, "");
  EXPECT_EQ(output.finish(ExitStatus::failed), ExitStatus::failed);
  EXPECT_EQ(written.lines(), "");
}

}  // namespace
}  // namespace confab::app
