// SPDX-License-Identifier: MIT
#include "ui/math/math_parser.h"

#include <gtest/gtest.h>

#include "ui/math/math.h"

namespace confab::ui {
namespace {

TEST(MathParserTest, SpacesAreTheFormulasAndNotTheSources) {
  EXPECT_EQ(math_line("a+b   =c"), "a + b = c");
  EXPECT_EQ(math_line("a b\tc"), "abc");
  EXPECT_EQ(math_line("-x + (-y) = -z"), "−x + (−y) = −z");
  EXPECT_EQ(math_line("a\\cdot-b, c"), "a · −b, c");
  EXPECT_EQ(math_line("2\\sin x\\cos(y)"), "2 sin x cos(y)");
  EXPECT_EQ(math_line("a\\quad b\\,c\\!d~e"), "a  b cd e");
}

TEST(MathParserTest, ASignAfterABarThatOpensBelongsToWhatFollows) {
  EXPECT_EQ(math_line("|-7|"), "|−7|");
  EXPECT_EQ(math_line("2|-7| - 1"), "2|−7| − 1");
  EXPECT_EQ(math_line("|-a|-|-b|"), "|−a| − |−b|");
  EXPECT_EQ(math_line("||-a|-|b||"), "||−a| − |b||");
  EXPECT_EQ(math_line("\\|-x\\|_2-1"), "‖−x‖₂ − 1");
  EXPECT_EQ(math_line("\\vert -7\\vert+\\lvert -7\\rvert-1"), "|−7| + |−7| − 1");
  EXPECT_EQ(math_line("\\left|-7\\right|-1"), "|−7| − 1");
  EXPECT_EQ(math_line("|\\sin x|^2 - 1"), "|sin x|² − 1");
}

TEST(MathParserTest, ABarThatStandsAloneLeavesTheSignsBehindIt) {
  EXPECT_EQ(math_line("f|_{x=0}-1"), "f|ₓ₌₀ − 1");
  EXPECT_EQ(math_line("P(A|B)-P(C|D)-1"), "P(A|B) − P(C|D) − 1");
  EXPECT_EQ(math_line("P(C|-D)"), "P(C|−D)");
  EXPECT_EQ(math_line("(n!|-1|)"), "(n!|−1|)");
}

TEST(MathParserTest, ScriptsAttach) {
  EXPECT_EQ(math_line("x^2_i"), "xᵢ²");
  EXPECT_EQ(math_line("x^{n+1} y_ 1"), "xⁿ⁺¹y₁");
  EXPECT_EQ(math_line("f''^2"), "f′′²");
  EXPECT_EQ(math_line("{ab}^2 ^3"), "ab²³");
  EXPECT_EQ(math_line("e^{x^2}"), "e^(x²)");
  EXPECT_EQ(math_line("^a _"), "ᵃ");
  EXPECT_EQ(math_line("90^\\circ"), "90°");
  EXPECT_EQ(math_line("x^\\frac12"), "x^(1⁄2)");
}

TEST(MathParserTest, UnknownCommandsAreTheirNames) {
  EXPECT_EQ(math_line("\\foo{x} \\Bar"), "foo x Bar");
  EXPECT_EQ(math_line("\\"), "\\");
  EXPECT_EQ(math_line("a\\é"), "a é");
}

TEST(MathParserTest, StrayMarksAreHarmless) {
  for (const char* tex : {"}",         "{",       "a}b",      "{a",
                          "&",         "a & b",   "\\\\",     "\\end{x}",
                          "\\right)",  "_",       "^",        "^^",
                          "__",        "\\frac",  "\\frac{",  "\\sqrt[",
                          "\\left",    "\\begin", "\\begin{", "\\begin{cases} a",
                          "\\left( a", "\\not",   "\\hat",    "{a \\end{x} b}"})
    for (const std::string& text : {std::string(tex), tex + std::string("x^2")})
      EXPECT_EQ(math_line(text).find('\n'), std::string::npos) << text;
  EXPECT_EQ(math_line("a}b"), "ab");
  EXPECT_EQ(math_line("{a"), "a");
}

TEST(MathParserTest, LinesAreKeptApart) {
  EXPECT_EQ(math_line("a \\\\ b"), "a; b");
  EXPECT_EQ(math_rows("a \\\\ bb", Cols{40}), (std::vector<std::string>{"a", "bb"}));
  EXPECT_EQ(math_rows("a &= b \\\\[2pt] &= cc", Cols{40}),
            (std::vector<std::string>{"a = b", "  = cc"}));
}

using Texts = std::vector<std::string>;

MathBox three() {
  return MathBox::stack(MathBox("a"), MathBox("───"), MathBox("b"));
}

TEST(MathBoxTest, StacksAroundTheMiddle) {
  EXPECT_EQ(three().rows(), (Texts{" a", "───", " b"}));
  EXPECT_EQ(three().line(), "───");
  EXPECT_EQ(MathBox::stack({}, MathBox("lim"), MathBox("x→0")).rows(), (Texts{"lim", "x→0"}));
}

TEST(MathBoxTest, AStackWithoutAMiddleHasABaseline) {
  EXPECT_EQ(MathBox::stack(MathBox("a"), {}, {}).line(), "a");
  EXPECT_EQ(MathBox::stack({}, {}, {}).line(), "");
}

TEST(MathBoxTest, AppendsOnTheBaseline) {
  MathBox box("x = ");
  box.append(three());
  box.append(" + 1");
  EXPECT_EQ(box.rows(), (Texts{"     a", "x = ─── + 1", "     b"}));
  EXPECT_EQ(box.width(), 11);
  MathBox low = MathBox::stack(MathBox("1"), MathBox("2"), {});
  low.append(MathBox::stack({}, MathBox("3"), MathBox("4")));
  EXPECT_EQ(low.rows(), (Texts{"1", "23", " 4"}));
}

TEST(MathBoxTest, NothingAddsNothing) {
  MathBox box("a");
  box.append(MathBox());
  box.append("");
  EXPECT_EQ(box.rows(), Texts{"a"});
  EXPECT_TRUE(MathBox("").empty());
  EXPECT_EQ(MathBox().line(), "");
}

TEST(MathBoxTest, GridsAlignTheirColumns) {
  const std::vector<std::vector<MathBox>> cells = {{MathBox("a"), MathBox("b")},
                                                   {MathBox("ccc"), MathBox("ddd"), MathBox("e")}};
  EXPECT_EQ(MathBox::grid(cells, "rl", 1).rows(), (Texts{"  a b", "ccc ddd e"}));
  EXPECT_EQ(MathBox::grid(cells, "c", 2).rows(), (Texts{" a    b", "ccc  ddd  e"}));
}

TEST(MathBoxTest, DelimitersAreAsHighAsTheBox) {
  EXPECT_EQ(MathBox::enclosed("(", MathBox("a"), ")").rows(), Texts{"(a)"});
  EXPECT_EQ(MathBox::enclosed("(", three(), "]").rows(), (Texts{"⎛ a ⎤", "⎜───⎥", "⎝ b ⎦"}));
  EXPECT_EQ(MathBox::enclosed("{", three(), "").rows(), (Texts{"⎧ a", "⎨───", "⎩ b"}));
  EXPECT_EQ(MathBox::enclosed("⟨", three(), "").rows(), (Texts{"  a", "⟨───", "  b"}));
}

}  // namespace
}  // namespace confab::ui
