// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_window.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/ui/transcript/transcript_fixture.h"
#include "ui/transcript/transcript_view.h"

namespace confab::ui {
namespace {

class TranscriptWindowTest : public TranscriptFixture {};

TEST_F(TranscriptWindowTest, SticksToTheEnd) {
  said_.begin_answer();
  said_.append_answer(paragraphs(1, 9));
  EXPECT_EQ(draw(3, 20), "p8\n\np9\n");
  said_.append_answer("p10\n\n");
  EXPECT_EQ(draw(3, 20), "p9\n\np10\n");
  EXPECT_TRUE(view_.window().at_bottom());
}

TEST_F(TranscriptWindowTest, AScrolledViewStaysAndCountsWhatComes) {
  said_.begin_answer();
  said_.append_answer(paragraphs(1, 9));
  draw(3, 20);
  view_.window().scroll(-4);
  EXPECT_EQ(draw(3, 20), "p6\n\np7\n");
  EXPECT_EQ(view_.window().n_new_lines(), 0);
  said_.append_answer(paragraphs(10, 2));
  EXPECT_EQ(draw(3, 20), "p6\n\np7\n");
  EXPECT_FALSE(view_.window().at_bottom());
  EXPECT_EQ(view_.window().n_new_lines(), 4);
  said_.add_answer("note");
  draw(3, 20);
  EXPECT_EQ(view_.window().n_new_lines(), 6);
  view_.window().to_bottom();
  EXPECT_EQ(draw(3, 20), "p11\n\nnote\n");
  EXPECT_EQ(view_.window().n_new_lines(), 0);
}

TEST_F(TranscriptWindowTest, ScrollingStopsAtBothEnds) {
  for (int i = 0; i < 5; ++i) said_.add_answer("n" + std::to_string(i));
  draw(3, 20);
  view_.window().scroll(-100);
  EXPECT_EQ(draw(3, 20), "n0\n\nn1\n");
  view_.window().scroll_pages(1);
  EXPECT_EQ(draw(3, 20), "n1\n\nn2\n");
  view_.window().scroll(100);
  EXPECT_TRUE(view_.window().at_bottom());
  view_.window().to_top();
  EXPECT_EQ(draw(3, 20), "n0\n\nn1\n");
  view_.window().scroll_pages(-1);
  EXPECT_FALSE(view_.window().at_bottom());
}

TEST_F(TranscriptWindowTest, WhatFitsDoesNotScroll) {
  view_.window().scroll(-1);
  view_.window().to_top();
  EXPECT_TRUE(view_.window().at_bottom());
  said_.add_answer("one");
  draw(3, 20);
  view_.window().scroll(-1);
  view_.window().to_top();
  EXPECT_TRUE(view_.window().at_bottom());
}

TEST_F(TranscriptWindowTest, ANewWidthKeepsTheItemInView) {
  for (int i = 0; i < 20; ++i)
    said_.add_answer("item " + std::to_string(i) + " with some words to wrap");
  draw(4, 60);
  view_.window().scroll(-20);
  const std::string wide = draw(4, 60);
  ASSERT_TRUE(wide.starts_with("item 8 ") || wide.starts_with("\nitem 8 ")) << wide;
  const std::string narrow = draw(8, 14);
  EXPECT_NE(narrow.find("item 8"), std::string::npos) << narrow;
  EXPECT_EQ(draw(4, 60), wide);
}

TEST_F(TranscriptWindowTest, AViewIsRestoredInWhatIsMadeAnew) {
  said_.add_answer(paragraphs(1, 5));
  said_.add_answer(paragraphs(6, 5));
  draw(3, 20);
  view_.window().scroll(-10);
  const std::string before = draw(3, 20);
  const TranscriptWindow::View view = view_.window().view();
  said_.clear();
  said_.add_answer(paragraphs(1, 5));
  said_.add_answer(paragraphs(6, 5));
  view_.window().restore(view);
  EXPECT_EQ(draw(3, 20), before);
  EXPECT_FALSE(view_.window().at_bottom());
}

TEST_F(TranscriptWindowTest, WhatComesAppearsBelowARestoredView) {
  for (const char* text : {"one", "two", "three", "four"}) said_.add_answer(text);
  EXPECT_EQ(draw(3, 20), "three\n\nfour\n");
  const TranscriptWindow::View view = view_.window().view();
  said_.clear();
  for (const char* text : {"one", "two", "three"}) said_.add_answer(text);
  said_.begin_answer();
  view_.window().restore(view);
  EXPECT_EQ(draw(5, 20), "three\n\n…\n") << "and not what is above";
  view_.window().scroll(1);
  EXPECT_EQ(draw(5, 20), "three\n\n…\n");
  said_.append_answer("a\n\nb");
  EXPECT_EQ(draw(5, 20), "three\n\na\n\nb\n");
  said_.append_answer("\n\nc");
  EXPECT_EQ(draw(5, 20), "a\n\nb\n\nc\n") << "it sticks to the end";
}

TEST_F(TranscriptWindowTest, ARestoredViewScrollsUpLineByLine) {
  for (const char* text : {"one", "two", "three", "four"}) said_.add_answer(text);
  draw(3, 20);
  const TranscriptWindow::View view = view_.window().view();
  said_.clear();
  for (const char* text : {"one", "two", "three"}) said_.add_answer(text);
  view_.window().restore(view);
  EXPECT_EQ(draw(3, 20), "three\n");
  view_.window().scroll(-2);
  EXPECT_EQ(draw(3, 20), "two\n\nthree\n");
}

TEST_F(TranscriptWindowTest, AViewIsAwaitedInWhatIsToldAnew) {
  said_.add_answer(paragraphs(1, 9));
  draw(3, 20);
  view_.window().scroll(-6);
  const std::string before = draw(3, 20);
  const TranscriptWindow::View view = view_.window().view();
  said_.clear();
  said_.begin_answer();
  view_.window().await(view);
  EXPECT_EQ(draw(3, 20), "…\n");
  said_.append_answer(paragraphs(1, 9));
  EXPECT_EQ(draw(3, 20), before);
  said_.append_answer(paragraphs(10, 9));
  EXPECT_EQ(draw(3, 20), before);
}

TEST_F(TranscriptWindowTest, AViewOfWhatIsGoneIsTheEnd) {
  for (const char* text : {"one", "two", "three"}) said_.add_answer(text);
  draw(1, 20);
  const TranscriptWindow::View view = view_.window().view();
  said_.clear();
  said_.add_answer("one");
  view_.window().restore(view);
  EXPECT_EQ(draw(3, 20), "one\n");
  said_.clear();
  view_.window().restore(view);
  EXPECT_TRUE(view_.window().at_bottom());
}

TEST(TranscriptKeysTest, EachKeyScrollsItsWay) {
  Transcript said;
  TranscriptView view(said);
  for (int i = 0; i < 20; ++i) said.add_answer(std::to_string(i));
  const auto top = [&view] {
    Frame frame(Rows{5}, Cols{20});
    view.draw(frame, Rows{0}, Rows{5});
    return frame.to_text().substr(0, frame.to_text().find('\n'));
  };
  EXPECT_EQ(top(), "  17");
  const std::pair<Command, const char*> steps[] = {
      {Command::line_up, ""},       {Command::line_down, "  17"}, {Command::page_up, "  15"},
      {Command::page_down, "  17"}, {Command::wheel_up, ""},      {Command::to_top, "  0"},
      {Command::wheel_down, ""},    {Command::to_bottom, "  17"}};
  for (const auto& [command, shown] : steps) {
    EXPECT_TRUE(scroll(view.window(), command));
    EXPECT_EQ(top(), shown) << static_cast<int>(command);
  }
}

TEST(TranscriptKeysTest, OtherCommandsAreOthers) {
  Transcript said;
  TranscriptView view(said);
  EXPECT_FALSE(scroll(view.window(), Command::interrupt));
  EXPECT_FALSE(scroll(view.window(), Command::focus));
}

}  // namespace
}  // namespace confab::ui
