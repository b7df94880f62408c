// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_item.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

using Kind = TranscriptItem::Kind;

std::string shown(TranscriptItem& item, int width = 20) {
  return to_text(item.lines(Cols{width}));
}

TranscriptItem finished(Kind kind, std::string_view text) {
  TranscriptItem item(kind, text);
  item.finish();
  return item;
}

TEST(TranscriptItemTest, AnswersAreMarkdownAndAllElseIsPlain) {
  TranscriptItem answer = finished(Kind::answer, "**a**");
  TranscriptItem user = finished(Kind::user, "**a**");
  EXPECT_EQ(shown(answer), "a\n");
  EXPECT_EQ(shown(user), "**a**\n");
  EXPECT_EQ(user.lines(Cols{20})[0].spans[0].style.role, Role::user);
}

TEST(TranscriptItemTest, AnAnswerIsAwaitedUntilItIsFinished) {
  TranscriptItem item(Kind::answer, "");
  EXPECT_EQ(shown(item), "…\n");
  item.append("on");
  item.append("e");
  EXPECT_EQ(shown(item), "one\n");
  item.finish();
  EXPECT_EQ(item.source(), "one");
  TranscriptItem empty = finished(Kind::answer, "");
  EXPECT_EQ(shown(empty), "");
}

TEST(TranscriptItemTest, ReasoningIsOneLineUntilItIsOpened) {
  TranscriptItem item(Kind::reasoning, "first\n");
  EXPECT_EQ(shown(item), "▸ Thoughts\n");
  item.set_label("Thinking: 3 s");
  item.append("second");
  EXPECT_EQ(shown(item), "▸ Thinking: 3 s\n");
  item.fold(false);
  EXPECT_EQ(shown(item), "▾ Thinking: 3 s\nfirst\nsecond\n");
}

TEST(TranscriptItemTest, AFoldedMessageKeepsItsFirstLine) {
  TranscriptItem item = finished(Kind::answer, "one\n\ntwo\n\nthree");
  item.fold(true);
  EXPECT_EQ(shown(item), "one\n… 4 more lines\n");
  item.set_label("2/3");
  EXPECT_EQ(shown(item), "2/3\none\n… 4 more lines\n");
  item.fold(false);
  EXPECT_EQ(shown(item), "2/3\none\n\ntwo\n\nthree\n");
}

TEST(TranscriptItemTest, RawShowsTheMarkdownAsItWasWritten) {
  TranscriptItem item = finished(Kind::answer, "# t\n\n  *x*");
  item.show_raw(true);
  EXPECT_EQ(shown(item), "# t\n\n  *x*\n");
  item.show_raw(false);
  EXPECT_EQ(shown(item), "t\n\nx\n");
}

TEST(TranscriptItemTest, TellsWhereCodeAndLinksAre) {
  TranscriptItem item = finished(Kind::answer, "a\n\n```c\nint x;\n```\n\n[b](http://c.d)");
  item.set_label("1/2");
  const std::vector<MarkdownPart> parts = item.parts(Cols{20});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].source, "int x;\n");
  EXPECT_EQ(parts[1].source, "http://c.d");
  EXPECT_EQ(to_text(item.lines(Cols{20})[parts[1].first_line]), "b");
  item.fold(true);
  EXPECT_TRUE(item.parts(Cols{20}).empty());
}

// What turns text around is not shown so, but it is what was written.
TEST(TranscriptItemTest, TheSourceIsAsItWasWritten) {
  const std::string text = "a\u202eb\u2069 \U000E0041";
  for (const Kind kind : {Kind::answer, Kind::user, Kind::tail}) {
    TranscriptItem item = finished(kind, text);
    EXPECT_EQ(item.source(), text);
    EXPECT_EQ(shown(item), "a\uFFFDb\uFFFD \uFFFD\n");
  }
  TranscriptItem raw = finished(Kind::answer, text);
  raw.show_raw(true);
  EXPECT_EQ(shown(raw), "a\uFFFDb\uFFFD \uFFFD\n");
  TranscriptItem thought = finished(Kind::reasoning, text);
  thought.fold(false);
  EXPECT_EQ(shown(thought), "▾ Thoughts\na\uFFFDb\uFFFD \uFFFD\n");
}

TEST(TranscriptItemTest, AnotherWidthIsAnotherLayout) {
  TranscriptItem item = finished(Kind::user, "alpha beta");
  EXPECT_EQ(shown(item, 20), "alpha beta\n");
  EXPECT_EQ(shown(item, 6), "alpha\nbeta\n");
}

TEST(TranscriptItemTest, TextIsMadeSafeHoweverItIsCut) {
  for (const Kind kind : {Kind::answer, Kind::reasoning, Kind::user}) {
    const std::string hostile =
        "a\x1b[2J\xc2\x9b"
        "b\xe2\x80\xae";
    for (std::size_t cut = 0; cut <= hostile.size(); ++cut) {
      TranscriptItem item(kind, hostile.substr(0, cut));
      item.append(hostile.substr(cut));
      item.finish();
      EXPECT_EQ(item.source(), sanitize(hostile, SafeFor::copying)) << cut;
      item.fold(false);
      EXPECT_NE(shown(item).find(sanitize(hostile)), std::string::npos) << cut;
    }
  }
  TranscriptItem item = finished(Kind::user, "");
  item.set_label("\x1b[1m\n");
  EXPECT_EQ(shown(item).find('\x1b'), std::string::npos);
}

TEST(TranscriptItemTest, SettledLinesStay) {
  TranscriptItem item(Kind::answer, "one\n\ntwo\n\n");
  item.lines(Cols{20});
  EXPECT_EQ(item.settled(), 1u);
  item.finish();
  item.lines(Cols{20});
  EXPECT_EQ(item.settled(), 3u);
  TranscriptItem question = finished(Kind::user, "a\nb");
  question.lines(Cols{20});
  EXPECT_EQ(question.settled(), 2u);
}

TEST(TranscriptItemTest, WhatIsKeptIsKnownHoweverItShows) {
  TranscriptItem item(Kind::answer, "aa bb\n\ncc\n\ndd");
  EXPECT_EQ(item.n_kept(Cols{20}), 0u);
  item.lines(Cols{20});
  item.keep_settled();
  EXPECT_EQ(item.n_kept(Cols{20}), 1u);
  EXPECT_EQ(item.n_kept(Cols{3}), 2u);
  item.show_raw(true);
  EXPECT_EQ(item.n_kept(Cols{20}), 2u) << "with the blank line that ends it";
  item.keep_settled();
  EXPECT_EQ(item.n_kept(Cols{3}), 3u);
  item.set_label("2/3");
  EXPECT_EQ(item.n_kept(Cols{20}), 3u);
  item.fold(true);
  EXPECT_EQ(item.n_kept(Cols{20}), item.lines(Cols{20}).size());
}

using ::testing::HasSubstr;

AnswerColumns three() {
  AnswerColumns answers(3);
  answers.append(0, "One.");
  answers.append(1, "Two, and more\n\nthan that.");
  answers.set_label(0, "1 token");
  answers.set_label(1, "done, 5 tokens");
  answers.set_label(2, "waiting");
  return answers;
}

TEST(AnswerColumnsTest, StandSideBySideWhereThereIsRoom) {
  AnswerColumns answers = three();
  answers.turn_to(1);
  EXPECT_EQ(
      to_text(answers.lines(Cols{114})),
      "Answer 1                             │ ▸ Answer 2                           │ Answer 3\n"
      "One.                                 │ Two, and more                        │ \n"
      "                                     │                                      │ \n"
      "                                     │ than that.                           │ \n"
      "                                     │                                      │ \n"
      "1 token                              │ ▸ done, 5 tokens                     │ waiting\n");
}

TEST(AnswerColumnsTest, ElseOneIsShownAndTheOthersAreCounted) {
  AnswerColumns answers = three();
  EXPECT_EQ(to_text(answers.lines(Cols{113})),
            "One.\n\nanswer 1 of 3: 1 token · 2: done, 5 tokens · 3: waiting\n");
  answers.turn_to(2);
  EXPECT_EQ(answers.shown(), 2U);
  EXPECT_EQ(to_text(answers.lines(Cols{30})),
            "…\n\nanswer 3 of 3: waiting · 1: 1\ntoken · 2: done, 5 tokens\n");
}

TEST(AnswerColumnsTest, NoLineIsWiderThanItMayBe) {
  AnswerColumns answers = three();
  answers.append(0, std::string(300, 'x') + "\x1b[31m\n\n```\n" + std::string(90, 'y') + "\n```\n");
  answers.set_label(2, std::string(200, 'z'));
  for (int cols = 1; cols < 160; ++cols)
    for (const Line& line : answers.lines(Cols{cols})) ASSERT_LE(width(line), Cols{cols}) << cols;
  EXPECT_EQ(to_text(answers.lines(Cols{150})).find('\x1b'), std::string::npos);
}

TEST(AnswerColumnsTest, TheSourceIsOfTheOneThatIsShown) {
  AnswerColumns answers = three();
  EXPECT_EQ(answers.source(), "One.");
  answers.turn_to(1);
  EXPECT_THAT(answers.source(), HasSubstr("than that."));
}

}  // namespace
}  // namespace confab::ui
