// SPDX-License-Identifier: MIT
#include "ui/math/math.h"

#include <gtest/gtest.h>

#include <random>

namespace confab::ui {
namespace {

std::string repeated(std::string_view piece, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += piece;
  return out;
}

TEST(MathLineTest, FormulasOfTheField) {
  EXPECT_EQ(math_line("E = mc^2"), "E = mc²");
  EXPECT_EQ(math_line("x = \\frac{-b \\pm \\sqrt{b^2-4ac}}{2a}"), "x = (−b ± √(b² − 4ac))/(2a)");
  EXPECT_EQ(math_line("\\int_{-\\infty}^{\\infty} e^{-x^2}\\,dx = \\sqrt{\\pi}"),
            "∫_(−∞)^∞ e^(−x²) dx = √π");
  EXPECT_EQ(math_line("\\forall \\varepsilon > 0\\ \\exists \\delta > 0"), "∀ε > 0 ∃δ > 0");
  EXPECT_EQ(math_line("P(A \\mid B) \\propto P(B \\mid A)\\,P(A)"), "P(A ∣ B) ∝ P(B ∣ A) P(A)");
  EXPECT_EQ(math_line("O(n \\log n)"), "O(n log n)");
}

TEST(MathRowsTest, WhatIsTooWideIsOneLine) {
  const std::string tex = "x = \\frac{a+b}{c}";
  EXPECT_EQ(math_rows(tex, Cols{11}).size(), 3u);
  EXPECT_EQ(math_rows(tex, Cols{10}), std::vector<std::string>{"x = (a + b)/c"});
  EXPECT_EQ(math_rows("a &= \\frac12 \\\\ &= c", Cols{0}),
            (std::vector<std::string>{"a = 1⁄2", "= c"}));
}

TEST(MathLineTest, NothingIsNothing) {
  EXPECT_EQ(math_line(""), "");
  EXPECT_EQ(math_line(" {} "), "");
  EXPECT_TRUE(math_rows("", Cols{10}).size() <= 1);
}

// Depth must not cost stack, nor size more than its own time.
TEST(MathLineTest, DepthAndSizeAreHarmless) {
  for (const char* piece :
       {"{", "}", "\\frac", "\\frac{", "\\sqrt[", "^", "_{", "\\left(", "\\begin{pmatrix}", "\\hat",
        "\\not", "\\\\", "&", "\\end{x}", "\\right", "'", "\\text{", "\\begin{cases}a&b\\\\"}) {
    for (const int n : {100, 500, 100000}) {
      EXPECT_EQ(math_line(repeated(piece, n)).find('\n'), std::string::npos) << piece;
      for (const std::string& row : math_rows(repeated(piece, n), Cols{80}))
        EXPECT_EQ(row.find('\n'), std::string::npos) << piece;
    }
  }
  const std::string deep = repeated("{", 30) + "\\alpha" + repeated("}", 30);
  EXPECT_NE(math_line(deep).find("alpha"), std::string::npos);
}

TEST(MathLineTest, AnyTextIsHarmless) {
  constexpr unsigned kSeed = 20261201;
  std::mt19937 rng(kSeed);
  const std::vector<std::string> soup = {"a",
                                         "1",
                                         "+",
                                         "=",
                                         " ",
                                         "{",
                                         "}",
                                         "^",
                                         "_",
                                         "\\",
                                         "\\\\",
                                         "&",
                                         "\\frac",
                                         "\\sqrt",
                                         "[",
                                         "]",
                                         "\\left(",
                                         "\\right)",
                                         "\\sum",
                                         "\\text{x}",
                                         "\\begin{matrix}",
                                         "\\end{matrix}",
                                         "é",
                                         "漢",
                                         "\\mathbb",
                                         "\\hat",
                                         "'",
                                         "\\not",
                                         "\\lim",
                                         "\\begin{cases}",
                                         "\\overset",
                                         "\n"};
  for (int i = 0; i < 3000; ++i) {
    std::string tex;
    for (std::size_t n = rng() % 30; n > 0; --n) tex += soup[rng() % soup.size()];
    EXPECT_EQ(math_line(tex).find('\n'), std::string::npos) << "seed " << kSeed << ' ' << tex;
    math_rows(tex, Cols{static_cast<int>(rng() % 60)});
  }
}

}  // namespace
}  // namespace confab::ui
