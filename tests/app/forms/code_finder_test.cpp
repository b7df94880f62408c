// SPDX-License-Identifier: MIT
#include "app/forms/code_finder.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace confab::app
