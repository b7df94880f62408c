// SPDX-License-Identifier: MIT
#include "ui/math/math_text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ui/math/math_symbols.h"
#include "ui/text.h"

namespace confab::ui {
namespace {

TEST(MathTextTest, AlphabetsKeepTheLettersThatWereThereBefore) {
  EXPECT_EQ(in_alphabet("mathbb", "ARx1"), "𝔸ℝ𝕩𝟙");
  EXPECT_EQ(in_alphabet("mathcal", "ALe"), "𝒜ℒℯ");
  EXPECT_EQ(in_alphabet("mathfrak", "gC"), "𝔤ℭ");
  EXPECT_EQ(in_alphabet("mathbf", "v0+é"), "𝐯𝟎+é");
  EXPECT_EQ(in_alphabet("mathrm", "d"), "d");
}

TEST(MathTextTest, AccentsCombine) {
  EXPECT_EQ(accented("hat", "x"), "x\u0302");
  EXPECT_EQ(accented("hat", "xy"), "(xy)\u0302");
  EXPECT_EQ(accented("overline", "AB"), "A\u0305B\u0305");
  EXPECT_EQ(accented("nothing", "x"), "x");
  EXPECT_TRUE(combining_accent("nothing").empty());
}

TEST(MathTextTest, ScriptsAreCharactersOrMarked) {
  EXPECT_EQ(raised("2n"), "²ⁿ");
  EXPECT_EQ(raised("−1"), "⁻¹");
  EXPECT_EQ(raised("q"), "^q");
  EXPECT_EQ(raised("n,m"), "^(n,m)");
  EXPECT_EQ(lowered("i+1"), "ᵢ₊₁");
  EXPECT_EQ(lowered("b"), "_b");
  EXPECT_EQ(lowered("ij,k"), "_(ij,k)");
}

TEST(MathTextTest, FractionsStayUnambiguous) {
  EXPECT_EQ(fraction("a", "b"), "a⁄b");
  EXPECT_EQ(fraction("a + b", "2"), "(a + b)/2");
  EXPECT_EQ(fraction("1", "x + 1"), "1/(x + 1)");
  EXPECT_EQ(fraction("f(x)", "2a"), "f(x)/(2a)");
  EXPECT_EQ(fraction("b", "2a"), "b/(2a)");
  EXPECT_EQ(fraction("2a", "3"), "2a⁄3");
  EXPECT_EQ(fraction("dy", "dx"), "dy⁄dx");
  EXPECT_EQ(fraction("", "b"), "()/b");
}

TEST(MathTextTest, RootsHaveDegrees) {
  EXPECT_EQ(root("", "x"), "√x");
  EXPECT_EQ(root("", "16"), "√16");
  EXPECT_EQ(root("3", "x + 1"), "∛(x + 1)");
  EXPECT_EQ(root("n", "2"), "ⁿ√2");
}

TEST(MathTextTest, PlainTextLosesItsEscapes) {
  EXPECT_EQ(plain_text(" if $x$ is 5\\% {of}~it\n\\"), " if x is 5% of it \\");
}

// The tables are searched by halves; and what they give is as wide as one expects.
TEST(MathSymbolsTest, AreSortedAndFound) {
  EXPECT_TRUE(std::ranges::is_sorted(math_symbols(), {}, &MathSymbol::name));
  for (const MathSymbol& symbol : math_symbols())
    EXPECT_EQ(find_math_symbol(symbol.name), &symbol) << symbol.name;
  EXPECT_EQ(find_math_symbol("no such"), nullptr);
  EXPECT_EQ(find_math_symbol("alpha")->text, "α");
}

TEST(MathSymbolsTest, ScriptsAreFound) {
  constexpr std::string_view kRaised =
      "0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW";
  for (const char& c : kRaised) EXPECT_EQ(width(superscript({&c, 1})), Cols{1}) << c;
  constexpr std::string_view kLowered = "0123456789+-=()aehijklmnoprstuvx";
  for (const char& c : kLowered) EXPECT_EQ(width(subscript({&c, 1})), Cols{1}) << c;
  EXPECT_TRUE(superscript("q").empty());
  EXPECT_TRUE(subscript("b").empty());
}

}  // namespace
}  // namespace confab::ui
