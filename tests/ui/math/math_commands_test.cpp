// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "ui/math/math.h"

namespace confab::ui {
namespace {

using Rows = std::vector<std::string>;

Rows rows(std::string_view tex) {
  return math_rows(tex, Cols{80});
}

TEST(MathCommandsTest, Fractions) {
  EXPECT_EQ(math_line("\\frac12 + \\dfrac{a+b}{c}"), "1⁄2 + (a + b)/c");
  EXPECT_EQ(rows("x = \\frac{a+b}{c}"), (Rows{"     a + b", "x = ───────", "       c"}));
  EXPECT_EQ(rows("\\tfrac{a}{b}"), Rows{"a⁄b"});
  EXPECT_EQ(math_line("\\binom{n}{k}"), "C(n, k)");
  EXPECT_EQ(rows("\\binom{n}{k}"), (Rows{"⎛n⎞", "⎝k⎠"}));
}

TEST(MathCommandsTest, Roots) {
  EXPECT_EQ(math_line("\\sqrt{b^2-4ac}"), "√(b² − 4ac)");
  EXPECT_EQ(math_line("\\sqrt[3]8"), "∛8");
}

TEST(MathCommandsTest, TextAndNames) {
  EXPECT_EQ(math_line("x \\text{ if } y"), "x if y");
  EXPECT_EQ(math_line("\\operatorname{rank}A"), "rank A");
  EXPECT_EQ(math_line("\\mathrm{d}x \\in \\mathbb{R}^n"), "dx ∈ ℝⁿ");
  EXPECT_EQ(math_line("x_{\\text{max}}"), "xₘₐₓ");
}

TEST(MathCommandsTest, AccentsAndNegations) {
  EXPECT_EQ(math_line("\\vec{v} \\not= \\not\\in \\not\\prec"), "v\u20d7 ≠ ∉ ≺\u0338");
}

TEST(MathCommandsTest, LimitsStandAboveAndBelowInADisplay) {
  EXPECT_EQ(math_line("\\sum_{i=1}^n i"), "∑ᵢ₌₁ⁿ i");
  EXPECT_EQ(rows("\\sum_{i=1}^n i"), (Rows{" n", " ∑  i", "i=1"}));
  EXPECT_EQ(rows("\\lim_{x\\to0} f"), (Rows{"lim f", "x→0"}));
  EXPECT_EQ(rows("\\int_0^1 x\\,dx"), Rows{"∫₀¹ x dx"});
  EXPECT_EQ(rows("\\int\\limits_0^1 x"), (Rows{"1", "∫ x", "0"}));
}

TEST(MathCommandsTest, MarksAboveAndBelow) {
  EXPECT_EQ(math_line("a \\overset{?}{=} b \\xrightarrow{f} c"), "a =^? b →ᶠ c");
  EXPECT_EQ(rows("a \\xrightarrow{f} c"), (Rows{"  f", "a ─→ c"}));
  EXPECT_EQ(rows("\\underbrace{a+b}_n"), (Rows{"a + b", "  n"}));
}

TEST(MathCommandsTest, Environments) {
  EXPECT_EQ(math_line("\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}"), "(a, b; c, d)");
  EXPECT_EQ(rows("A = \\begin{bmatrix} a & b \\\\ cc & d \\\\ \\end{bmatrix}"),
            (Rows{"A = ⎡ a   b ⎤", "    ⎣ cc  d ⎦"}));
  EXPECT_EQ(rows("f = \\begin{cases} 1 & x > 0 \\\\ 0 \\end{cases}"),
            (Rows{"f = ⎧ 1  x > 0", "    ⎩ 0"}));
  EXPECT_EQ(rows("\\begin{align*} a &= b, & c &= d \\\\ e &= f \\end{align*}"),
            (Rows{"a = b,  c = d", "e = f"}));
  EXPECT_EQ(rows("\\begin{array}{c|c} 1 & 2 \\\\ \\hline 3 & 4 \\end{array}"),
            (Rows{"1  2", "3  4"}));
  EXPECT_EQ(rows("\\begin{unknown} a \\\\ b \\end{unknown}"), (Rows{"a", "b"}));
}

TEST(MathCommandsTest, DelimitersGrow) {
  EXPECT_EQ(math_line("\\left\\{ a \\right\\} \\left. b \\right| \\left< c \\right>"), "{a}b|⟨c⟩");
  EXPECT_EQ(rows("\\left( \\frac{a}{b} \\right)^2"), (Rows{"⎛ a ⎞", "⎜───⎟²", "⎝ b ⎠"}));
}

TEST(MathCommandsTest, TheRest) {
  EXPECT_EQ(math_line("\\boxed{42} \\equiv 2 \\pmod 5"), "[42] ≡ 2 (mod 5)");
  EXPECT_EQ(math_line("\\color{red}a \\label{x}b \\phantom{c}d\\hspace{1cm}e"), "abd e");
  EXPECT_EQ(math_line("E \\tag{1}"), "E    (1)");
}

}  // namespace
}  // namespace confab::ui
