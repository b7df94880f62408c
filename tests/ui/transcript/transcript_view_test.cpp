// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_view.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

// What is drawn, without the room on the left that nothing stands in.
std::string draw(TranscriptView& view, int rows, int cols) {
  Frame frame(Rows{rows}, Cols{cols});
  view.draw(frame, Rows{0}, Rows{rows});
  std::string text = frame.to_text();
  while (text.ends_with("\n\n")) text.pop_back();
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    out += (line.starts_with("  ")   ? line.substr(2)
            : line.starts_with(" ▌") ? line.substr(1)
                                     : line) +
           '\n';
  return out;
}

std::string paragraphs(int first, int n) {
  std::string text;
  for (int i = first; i < first + n; ++i) text += "p" + std::to_string(i) + "\n\n";
  return text;
}

TEST(TranscriptViewTest, TellsWhoSpeaks) {
  TranscriptView view;
  view.add_user("What is\na **fox**?");
  view.add_answer("A *small* animal.");
  view.add_notice("saved");
  view.add_error("disk full");
  EXPECT_EQ(draw(view, 12, 40),
            "› What is\na **fox**?\n\nA small animal.\n\nsaved\n\n! disk full\n");
}

TEST(TranscriptViewTest, WrapsWhatThePersonSaidUnderItsFirstWord) {
  TranscriptView view;
  view.add_user("alpha beta gamma");
  Frame frame(Rows{3}, Cols{9});
  view.draw(frame, Rows{0}, Rows{3});
  EXPECT_EQ(frame.to_text(), "› alpha\n  beta\n  gamma\n");
}

TEST(TranscriptViewTest, AGrowingAnswerShowsThatItIsAwaited) {
  TranscriptView view;
  view.begin_answer();
  EXPECT_TRUE(view.answering());
  EXPECT_EQ(draw(view, 5, 20), "…\n");
  view.append_answer("Hel");
  view.append_answer("lo");
  EXPECT_EQ(draw(view, 5, 20), "Hello\n");
  view.end_answer();
  EXPECT_FALSE(view.answering());
  EXPECT_EQ(view.last_answer(), "Hello");
}

TEST(TranscriptViewTest, AnAnswerGrowsWhereItBegan) {
  TranscriptView view;
  view.begin_answer();
  view.append_answer("one ");
  view.add_notice("queued");
  view.append_answer("two");
  EXPECT_EQ(draw(view, 6, 20), "one two\n\nqueued\n");
}

TEST(TranscriptViewTest, SticksToTheEnd) {
  TranscriptView view;
  view.begin_answer();
  view.append_answer(paragraphs(1, 9));
  EXPECT_EQ(draw(view, 3, 20), "p8\n\np9\n");
  view.append_answer("p10\n\n");
  EXPECT_EQ(draw(view, 3, 20), "p9\n\np10\n");
  EXPECT_TRUE(view.at_bottom());
}

TEST(TranscriptViewTest, AScrolledViewStaysAndCountsWhatComes) {
  TranscriptView view;
  view.begin_answer();
  view.append_answer(paragraphs(1, 9));
  draw(view, 3, 20);
  view.scroll(-4);
  EXPECT_EQ(draw(view, 3, 20), "p6\n\np7\n");
  EXPECT_EQ(view.n_new_lines(), 0);
  view.append_answer(paragraphs(10, 2));
  EXPECT_EQ(draw(view, 3, 20), "p6\n\np7\n");
  EXPECT_FALSE(view.at_bottom());
  EXPECT_EQ(view.n_new_lines(), 4);
  view.add_notice("note");
  draw(view, 3, 20);
  EXPECT_EQ(view.n_new_lines(), 6);
  view.to_bottom();
  EXPECT_EQ(draw(view, 3, 20), "p11\n\nnote\n");
  EXPECT_EQ(view.n_new_lines(), 0);
}

TEST(TranscriptViewTest, ScrollingStopsAtBothEnds) {
  TranscriptView view;
  for (int i = 0; i < 5; ++i) view.add_notice("n" + std::to_string(i));
  draw(view, 3, 20);
  view.scroll(-100);
  EXPECT_EQ(draw(view, 3, 20), "n0\n\nn1\n");
  view.scroll_pages(1);
  EXPECT_EQ(draw(view, 3, 20), "n1\n\nn2\n");
  view.scroll(100);
  EXPECT_TRUE(view.at_bottom());
  view.to_top();
  EXPECT_EQ(draw(view, 3, 20), "n0\n\nn1\n");
  view.scroll_pages(-1);
  EXPECT_FALSE(view.at_bottom());
}

TEST(TranscriptViewTest, WhatFitsDoesNotScroll) {
  TranscriptView view;
  view.scroll(-1);
  view.to_top();
  EXPECT_TRUE(view.at_bottom());
  view.add_notice("one");
  draw(view, 3, 20);
  view.scroll(-1);
  view.to_top();
  EXPECT_TRUE(view.at_bottom());
}

TEST(TranscriptViewTest, ANewQuestionGoesToTheEnd) {
  TranscriptView view;
  view.add_answer(paragraphs(1, 9));
  draw(view, 3, 20);
  view.to_top();
  view.add_user("next");
  EXPECT_EQ(draw(view, 3, 20), "p9\n\n› next\n");
}

TEST(TranscriptViewTest, ANewWidthKeepsTheItemInView) {
  TranscriptView view;
  for (int i = 0; i < 20; ++i)
    view.add_notice("item " + std::to_string(i) + " with some words to wrap");
  draw(view, 4, 60);
  view.scroll(-20);
  const std::string wide = draw(view, 4, 60);
  ASSERT_TRUE(wide.starts_with("item 8 ") || wide.starts_with("\nitem 8 ")) << wide;
  const std::string narrow = draw(view, 8, 14);
  EXPECT_NE(narrow.find("item 8"), std::string::npos) << narrow;
  EXPECT_EQ(draw(view, 4, 60), wide);
}

TEST(TranscriptViewTest, ClearForgetsAll) {
  TranscriptView view;
  view.begin_answer();
  view.append_answer("text");
  view.clear();
  EXPECT_FALSE(view.answering());
  EXPECT_EQ(view.n_items(), 0u);
  EXPECT_EQ(draw(view, 3, 20), "\n");
  view.append_answer("late");
  view.end_answer();
  EXPECT_EQ(draw(view, 3, 20), "\n");
}

TEST(TranscriptViewTest, NothingHostileIsDrawn) {
  TranscriptView view;
  view.add_user("\x1b[2J");
  view.add_answer("\x1b[2J\xc2\x9b");
  view.add_error("\x07");
  const std::string shown = draw(view, 10, 40);
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown.find("\xc2\x9b"), std::string::npos);
  EXPECT_EQ(shown.find('\x07'), std::string::npos);
}

TEST(TranscriptViewTest, ReasoningStandsAboveTheAnswer) {
  TranscriptView view;
  view.add_user("Why?");
  view.begin_answer();
  view.append_reasoning("Let me\x1b ");
  view.append_reasoning("think.");
  view.append_answer("Because.");
  view.end_answer();
  view.append_reasoning("too late");
  EXPECT_EQ(draw(view, 12, 40), "› Why?\n\n▸ Thoughts\n\nBecause.\n");
  view.open_reasoning(true);
  const std::string shown = draw(view, 12, 40);
  EXPECT_LT(shown.find("Why?"), shown.find("Let me"));
  EXPECT_LT(shown.find("think."), shown.find("Because."));
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown.find("too late"), std::string::npos);
  EXPECT_EQ(view.n_items(), 3U);
  EXPECT_EQ(view.last_answer(), "Because.");
}

TEST(TranscriptViewTest, ReasoningSaysHowLongItTook) {
  TranscriptView view;
  view.begin_answer();
  view.append_reasoning("hm");
  view.label_reasoning("Thinking: 2 s");
  EXPECT_EQ(draw(view, 5, 40), "▸ Thinking: 2 s\n\n…\n");
  view.append_answer("So.");
  view.end_answer();
  view.label_reasoning("Thought for 3 s");
  EXPECT_EQ(draw(view, 5, 40), "▸ Thought for 3 s\n\nSo.\n");
}

TEST(TranscriptViewTest, TheFocusStepsFromMessageToMessage) {
  TranscriptView view;
  view.add_user("one", 0);
  view.add_answer("two", 1);
  view.add_notice("note");
  draw(view, 10, 20);
  EXPECT_EQ(view.focused(), nullptr);
  view.step(0);
  EXPECT_EQ(view.focused_number(), 1u);
  Frame frame(Rows{5}, Cols{20});
  view.draw(frame, Rows{0}, Rows{5});
  EXPECT_EQ(frame.at({Rows{2}, Cols{1}}).text, "▌");
  EXPECT_EQ(frame.at({Rows{0}, Cols{1}}).text, " ");
  view.step(-1);
  EXPECT_EQ(view.focused_number(), 0u);
  view.step(-1);
  EXPECT_EQ(view.focused_number(), 0u);
  view.step(5);
  EXPECT_EQ(view.focused()->source(), "two");
  view.unfocus();
  EXPECT_EQ(view.focused(), nullptr);
}

TEST(TranscriptViewTest, WhatGetsTheFocusComesIntoView) {
  TranscriptView view;
  for (int i = 0; i < 10; ++i) view.add_answer("a" + std::to_string(i), i);
  draw(view, 3, 20);
  view.step(-4);
  EXPECT_TRUE(draw(view, 3, 20).ends_with("▌a9\n"));
  view.step(-3);
  EXPECT_EQ(draw(view, 3, 20), "▌a6\n\na7\n");
  view.step(2);
  EXPECT_EQ(draw(view, 3, 20), "a7\n\n▌a8\n");
  view.step(1);
  EXPECT_TRUE(draw(view, 3, 20).ends_with("▌a9\n"));
  EXPECT_TRUE(view.at_bottom());
}

TEST(TranscriptViewTest, TheFocusStepsFromCodeToLinkAcrossMessages) {
  TranscriptView view;
  view.add_answer("[a](http://a.b)\n\n```\ncode\n```\n", 0);
  view.add_user("no parts", 1);
  view.add_answer("text [c](http://c.d)", 2);
  draw(view, 20, 30);
  EXPECT_TRUE(view.step_part(-1));
  EXPECT_EQ(view.focused_part()->source, "http://c.d");
  EXPECT_TRUE(view.step_part(-1));
  EXPECT_EQ(view.focused_part()->source, "code\n");
  EXPECT_EQ(view.focused_number(), 0u);
  EXPECT_EQ(draw(view, 20, 30), "a\n\n▌  code\n\n› no parts\n\ntext c\n");
  EXPECT_TRUE(view.step_part(-1));
  EXPECT_FALSE(view.step_part(-1));
  EXPECT_EQ(view.focused_part()->source, "http://a.b");
  view.step(1);
  EXPECT_FALSE(view.focused_part());
  EXPECT_EQ(view.focused_number(), 1u);
  EXPECT_TRUE(view.step_part(1));
  EXPECT_FALSE(view.step_part(1));
}

TEST(TranscriptViewTest, FoldsWhatHasTheFocus) {
  TranscriptView view;
  view.add_answer("one\n\ntwo\n\nthree");
  draw(view, 9, 20);
  view.step(-1);
  view.toggle_fold();
  EXPECT_EQ(view.focused()->folded(), true);
  EXPECT_EQ(draw(view, 9, 20), "▌one\n▌… 4 more lines\n");
}

TEST(TranscriptViewTest, SearchingBringsTheNearestPlaceIntoView) {
  TranscriptView view;
  for (int i = 0; i < 20; ++i) view.add_answer("line " + std::to_string(i));
  draw(view, 3, 20);
  EXPECT_TRUE(view.search("line 3"));
  EXPECT_NE(draw(view, 3, 20).find("line 3\n"), std::string::npos);
  EXPECT_TRUE(view.search("line 1"));
  EXPECT_NE(draw(view, 3, 20).find("line 1\n"), std::string::npos);
  EXPECT_TRUE(view.search_on(-1));
  EXPECT_NE(draw(view, 3, 20).find("line 19\n"), std::string::npos);
  EXPECT_TRUE(view.search_on(1));
  EXPECT_NE(draw(view, 3, 20).find("line 1\n"), std::string::npos);
  EXPECT_FALSE(view.search("nowhere"));
  EXPECT_FALSE(view.search_on(1));
  EXPECT_TRUE(view.search(""));
}

TEST(TranscriptViewTest, LabelsStandAboveTheirMessage) {
  TranscriptView view;
  view.add_user("one", 0);
  view.add_answer("two", 1);
  view.label_message(1, "2/3");
  EXPECT_EQ(draw(view, 9, 20), "› one\n\n2/3\ntwo\n");
}

TEST(TranscriptViewTest, RawShowsHowAnswersWereWritten) {
  TranscriptView view;
  view.add_answer("**a**");
  view.show_raw(true);
  view.add_answer("*b*");
  EXPECT_EQ(draw(view, 9, 20), "**a**\n\n*b*\n");
}

TEST(TranscriptViewTest, SurvivesEverySize) {
  TranscriptView view;
  view.add_user("a question 界界");
  view.begin_answer();
  view.append_answer("# Title\n\n- one\n- two\n\n```c\nint x;\n```\n");
  for (const auto& [rows, cols] :
       {std::pair{1, 1}, {5, 20}, {24, 80}, {100, 300}, {1, 300}, {50, 2}}) {
    draw(view, rows, cols);
    view.scroll_pages(-1);
    draw(view, rows, cols);
    view.scroll(1);
  }
}

// The items above the view are laid out neither on drawing nor on a new width.
TEST(TranscriptViewTest, AFrameCostsWhatItShows) {
  using Clock = std::chrono::steady_clock;
  const auto cost = [](int n_items) {
    TranscriptView view;
    for (int i = 0; i < n_items; ++i) view.add_answer("Some *words* in item " + std::to_string(i));
    auto best = Clock::duration::max();
    for (int round = 0; round < 5; ++round) {
      const auto start = Clock::now();
      draw(view, 24, 70 + round);
      best = std::min(best, Clock::now() - start);
    }
    return best;
  };
  EXPECT_LT(cost(20000), 20 * cost(100));
}

}  // namespace
}  // namespace confab::ui
