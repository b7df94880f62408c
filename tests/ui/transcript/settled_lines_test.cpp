// SPDX-License-Identifier: MIT
// What a terminal's scrollback gets of a conversation: every line, once, in order, whatever happens
// while it grows.
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/ui/markdown/markdown_cases.h"
#include "ui/transcript/transcript_view.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

constexpr Cols kCols{40};

std::string taken(TranscriptView& view, Cols cols = kCols) {
  return to_text(view.settled().take(cols));
}

TEST(SettledLinesOrderTest, SettledLinesAreTakenOnce) {
  Transcript said;
  TranscriptView view(said);
  said.add_user("ask");
  EXPECT_EQ(taken(view, Cols{20}), "› ask\n");
  said.begin_answer();
  EXPECT_EQ(taken(view, Cols{20}), "");
  said.append_answer("one\n\ntwo");
  EXPECT_EQ(taken(view, Cols{20}), "");
  EXPECT_EQ(to_text(view.settled().rest(Cols{20}, 10)), "\n  one\n  \n  two\n");
  said.append_answer("\n\nthr\n");
  EXPECT_EQ(taken(view, Cols{20}), "\n  one\n  \n  two\n");
  said.add_answer("note");
  EXPECT_EQ(taken(view, Cols{20}), "");
  said.end_answer();
  EXPECT_EQ(taken(view, Cols{20}), "  \n  thr\n\n  note\n");
  EXPECT_EQ(taken(view, Cols{20}), "");
  EXPECT_TRUE(view.settled().rest(Cols{20}, 10).empty());
}

TEST(SettledLinesOrderTest, WhatIsNotSettledIsShownFromItsEnd) {
  Transcript said;
  TranscriptView view(said);
  said.begin_answer();
  said.append_answer("a b c d e");
  EXPECT_EQ(to_text(view.settled().rest(Cols{9}, 2)), "  a b c d\n  e\n");
  EXPECT_EQ(to_text(view.settled().rest(Cols{3}, 2)), "c d\ne\n");
  EXPECT_TRUE(view.settled().rest(Cols{9}, 0).empty());
}

// However the width changes while an answer is taken, all of it is, in order.
TEST(SettledLinesOrderTest, ANewWidthLosesNothingOfWhatIsTaken) {
  Transcript said;
  TranscriptView view(said);
  said.begin_answer();
  std::string words, all;
  for (int i = 0; i < 60; ++i) {
    const std::string word = "w" + std::to_string(i);
    words += word + ' ';
    said.append_answer(word + (i % 7 == 6 ? "\n\n" : " "));
    for (const char c : taken(view, Cols{12 + i * 5 % 17}))
      if (c != '\n') all += c;
    all += ' ';
  }
  said.end_answer();
  all += taken(view, Cols{30});
  std::istringstream shown(all), wanted(words);
  std::string got, want;
  while (wanted >> want) {
    ASSERT_TRUE(shown >> got);
    EXPECT_EQ(got, want);
  }
}

TEST(SettledLinesOrderTest, OldMessagesNeedNotBeTaken) {
  Transcript said;
  TranscriptView view(said);
  for (int i = 0; i < 9; ++i) said.add_answer(std::to_string(i));
  view.settled().skip_to_last(Cols{20}, 3, 9);
  EXPECT_EQ(taken(view, Cols{20}), "  7\n\n  8\n");
  said.add_user("ask");
  said.add_answer("answer");
  view.settled().skip_to_question();
  EXPECT_EQ(taken(view, Cols{20}), "\n› ask\n\n  answer\n");
  said.clear();
  said.add_answer("new");
  EXPECT_EQ(taken(view, Cols{20}), "\n  new\n");
}

// An answer of which the first part was taken before something happened.
class SettledLinesTest : public testing::Test {
 protected:
  void answer(std::string_view first) {
    said_.begin_answer(0);
    said_.append_answer(first);
    all_ = taken(view_, kWide);
  }
  // The rest, at this width.
  void end(std::string_view rest, Cols cols) {
    all_ += taken(view_, cols);
    said_.append_answer(rest);
    all_ += taken(view_, cols);
    said_.end_answer();
    all_ += taken(view_, cols);
  }
  // How often each of the words w0 to wN has been taken, in their order.
  std::string words() const {
    std::string found;
    std::istringstream text(all_);
    for (std::string word; text >> word;)
      if (word.starts_with('w')) found += word + ' ';
    return found;
  }
  static constexpr Cols kWide{30}, kNarrow{13};
  Transcript said_;
  TranscriptView view_{said_};
  std::string all_;
};

TEST_F(SettledLinesTest, AWiderTerminalGetsTheCodeBehindLinesThatWereCut) {
  said_.begin_answer();
  said_.append_answer("```\nw1 w2 w3 w4 w5 w6 w7\n");
  all_ = taken(view_, kNarrow);
  end("w8\nw9\nw10\n```\n", kWide);
  EXPECT_EQ(words(), "w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 ");
}

TEST_F(SettledLinesTest, ATableThatBecomesRecordsIsNotTakenAgain) {
  answer(
      "| aa | bb | cc | dd |\n|-|-|-|-|\n| w1 | w2 | w3 | w4 |\n| w5 | w6 | w7 | w8 |\n\nw9\n\n");
  end("w10\n", kNarrow);
  EXPECT_EQ(words(), "w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 ");
}

TEST_F(SettledLinesTest, BlankLinesOfCodeAreTakenOnce) {
  answer("```\nw1\n\n\n");
  end("w2\n```\n", kNarrow);
  EXPECT_EQ(all_, "  ╭───────────────────────────\n    w1\n  \n  \n    w2\n  ╰──────────\n");
}

TEST_F(SettledLinesTest, ALinkTargetThatComesLateMovesNothing) {
  answer("[w1][reference] and [w2][reference]\n\nw3\n\n");
  end("w4 [w5][reference]\n\n[reference]: http://a.example\n", kWide);
  EXPECT_EQ(all_, "  [w1][reference] and\n  [w2][reference]\n  \n  w3\n  \n  w4 w5\n");
}

TEST_F(SettledLinesTest, MarkdownAsItWasWrittenGoesOnBehindWhatWasTaken) {
  answer("- w1\n- w2\n\n\n**w3** **w4**\n\nw5\n\nw6\n");
  said_.show_raw(true);
  end("\nw7\n\nw8\n", kWide);
  EXPECT_EQ(words(), "w1 w2 w3 w4 w5 w6 w7 w8 ") << all_;
}

TEST_F(SettledLinesTest, ALabelAboveWhatWasTakenMovesNothing) {
  answer("w1\n\nw2\n\n");
  said_.label_messages(std::vector<std::string>{"2/3"});
  end("w3\n", kWide);
  EXPECT_EQ(words(), "w1 w2 w3 ");
}

// Some of the corpus, without link reference definitions: they restyle what has settled.
std::string random_answer(std::mt19937& random, const std::vector<MarkdownCase>& cases) {
  std::string text;
  for (auto n = random() % 4; n > 0; --n) text += cases[random() % cases.size()].text + "\n\n";
  return text.find("]:") == std::string::npos ? text : "one\n\ntwo\n";
}

// The same said all at once.
struct Said {
  std::string reasoning, answer;
  std::vector<std::string> others;

  std::string lines() const {
    Transcript said;
    TranscriptView view(said);
    said.add_user("ask");
    if (!reasoning.empty()) said.add_reasoning(reasoning);
    said.add_answer(answer);
    for (const std::string& text : others) said.add_answer(text);
    return to_text(view.settled().take(kCols));
  }
};

// What the screen does with an answer that grows, and what that takes of it.
struct Growing {
  Transcript transcript;
  TranscriptView view{transcript};
  std::string all;

  void take() { all += taken(view); }
};

void grow(Growing& growing, Said& said, std::mt19937& random) {
  Transcript& transcript = growing.transcript;
  const std::string answer = said.answer;
  for (std::size_t begin = 0; begin < answer.size();) {
    const std::size_t n = std::min<std::size_t>(random() % 40 + 1, answer.size() - begin);
    transcript.append_answer(std::string_view(answer).substr(begin, n));
    begin += n;
    switch (random() % 16) {
      case 0:
        said.others.push_back("note\nand more");
        transcript.add_answer(said.others.back());
        break;
      case 1:
        transcript.open_reasoning(true);
        transcript.open_reasoning(false);
        break;
      case 2:
        transcript.show_raw(true);
        growing.take();
        transcript.show_raw(false);
        break;
      case 3:
        growing.view.settled().rest(Cols{static_cast<int>(random() % 60) + 1}, 5);
        break;
      case 4:
      case 5:
        growing.take();
        break;
      default:
        break;
    }
  }
}

TEST(SettledLinesRandomTest, ToldPieceByPieceTheyAreWhatIsToldAtOnce) {
  constexpr unsigned kSeed = 20261130;
  std::mt19937 random(kSeed);
  const std::vector<MarkdownCase> cases = markdown_cases();
  for (int run = 0; run < 1000; ++run) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " run " << run);
    Said said{.reasoning = random() % 2 == 0 ? "hm\n\nso" : "",
              .answer = random_answer(random, cases),
              .others = {}};
    Growing growing;
    growing.transcript.add_user("ask");
    growing.transcript.begin_answer();
    growing.take();
    if (!said.reasoning.empty()) growing.transcript.append_reasoning(said.reasoning);
    growing.take();
    grow(growing, said, random);
    growing.transcript.end_answer();
    growing.take();
    ASSERT_EQ(growing.all, said.lines()) << said.answer;
  }
}

using Kind = TranscriptItem::Kind;
using Places = std::vector<Place>;

class TakenLinesTest : public testing::Test {
 protected:
  TranscriptItem& add(Kind kind, std::string_view text) {
    return layout_.items.emplace_back(kind, text);
  }
  TranscriptLayout layout_;
  TakenLines taken_{layout_};
};

TEST_F(TakenLinesTest, FinishedItemsAreTakenWithTheLineBeforeThem) {
  add(Kind::user, "a").finish();
  add(Kind::user, "b\nc").finish();
  EXPECT_EQ(taken_.take(), (Places{{0, 0}, {1, 0}, {1, 1}, {1, 2}}));
  EXPECT_TRUE(taken_.take().empty());
  EXPECT_EQ(taken_.next(), (Place{2, 0}));
}

TEST_F(TakenLinesTest, OfAnAnswerThatGrowsWhatHasSettled) {
  TranscriptItem& answer = add(Kind::answer, "one\n\ntwo");
  EXPECT_TRUE(taken_.take().empty());
  answer.append("\n\nthree\n");
  EXPECT_EQ(taken_.take(), (Places{{0, 0}, {0, 1}, {0, 2}}));
  answer.finish();
  EXPECT_EQ(taken_.take().size(), 2u);
}

TEST_F(TakenLinesTest, AnotherWidthGoesOnBehindTheSameText) {
  TranscriptItem& answer = add(Kind::answer, "aa bb cc\n\ndd\n\nee\n");
  layout_.set_width(Cols{20});
  EXPECT_EQ(taken_.take().size(), 3u);
  layout_.set_width(Cols{2});
  EXPECT_EQ(taken_.next(), (Place{0, 5}));
  answer.finish();
  EXPECT_EQ(taken_.take().size(), 2u);
}

TEST_F(TakenLinesTest, FollowsWhatIsInsertedAndSkipped) {
  for (int i = 0; i < 3; ++i) add(Kind::user, "x").finish();
  taken_.skip_to({1, 1});
  taken_.skip_to({0, 0});
  EXPECT_EQ(taken_.next(), (Place{1, 1}));
  taken_.insert(0);
  EXPECT_EQ(taken_.next(), (Place{2, 1}));
  taken_.insert(2);
  EXPECT_EQ(taken_.next(), (Place{2, 1}));
  taken_.clear();
  EXPECT_EQ(taken_.next(), Place{});
}

}  // namespace
}  // namespace confab::ui
