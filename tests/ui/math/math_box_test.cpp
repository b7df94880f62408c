// SPDX-License-Identifier: MIT
#include "ui/math/math_box.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

using Rows = std::vector<std::string>;

MathBox three() {
  return MathBox::stack(MathBox("a"), MathBox("───"), MathBox("b"));
}

TEST(MathBoxTest, StacksAroundTheMiddle) {
  EXPECT_EQ(three().rows(), (Rows{" a", "───", " b"}));
  EXPECT_EQ(three().line(), "───");
  EXPECT_EQ(MathBox::stack({}, MathBox("lim"), MathBox("x→0")).rows(), (Rows{"lim", "x→0"}));
}

TEST(MathBoxTest, AStackWithoutAMiddleHasABaseline) {
  EXPECT_EQ(MathBox::stack(MathBox("a"), {}, {}).line(), "a");
  EXPECT_EQ(MathBox::stack({}, {}, {}).line(), "");
}

TEST(MathBoxTest, AppendsOnTheBaseline) {
  MathBox box("x = ");
  box.append(three());
  box.append(" + 1");
  EXPECT_EQ(box.rows(), (Rows{"     a", "x = ─── + 1", "     b"}));
  EXPECT_EQ(box.width(), 11);
  MathBox low = MathBox::stack(MathBox("1"), MathBox("2"), {});
  low.append(MathBox::stack({}, MathBox("3"), MathBox("4")));
  EXPECT_EQ(low.rows(), (Rows{"1", "23", " 4"}));
}

TEST(MathBoxTest, NothingAddsNothing) {
  MathBox box("a");
  box.append(MathBox());
  box.append("");
  EXPECT_EQ(box.rows(), Rows{"a"});
  EXPECT_TRUE(MathBox("").empty());
  EXPECT_EQ(MathBox().line(), "");
}

TEST(MathBoxTest, GridsAlignTheirColumns) {
  const std::vector<std::vector<MathBox>> cells = {{MathBox("a"), MathBox("b")},
                                                   {MathBox("ccc"), MathBox("ddd"), MathBox("e")}};
  EXPECT_EQ(MathBox::grid(cells, "rl", 1).rows(), (Rows{"  a b", "ccc ddd e"}));
  EXPECT_EQ(MathBox::grid(cells, "c", 2).rows(), (Rows{" a    b", "ccc  ddd  e"}));
}

TEST(MathBoxTest, DelimitersAreAsHighAsTheBox) {
  EXPECT_EQ(MathBox::enclosed("(", MathBox("a"), ")").rows(), Rows{"(a)"});
  EXPECT_EQ(MathBox::enclosed("(", three(), "]").rows(), (Rows{"⎛ a ⎤", "⎜───⎥", "⎝ b ⎦"}));
  EXPECT_EQ(MathBox::enclosed("{", three(), "").rows(), (Rows{"⎧ a", "⎨───", "⎩ b"}));
  EXPECT_EQ(MathBox::enclosed("⟨", three(), "").rows(), (Rows{"  a", "⟨───", "  b"}));
}

}  // namespace
}  // namespace confab::ui
