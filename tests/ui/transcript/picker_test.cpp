// SPDX-License-Identifier: MIT
#include "ui/transcript/picker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace confab::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

Key character(char32_t c) {
  return {.character = c};
}
Key control(char32_t c) {
  return {.character = c, .ctrl = true};
}
Key key(Key::Code code) {
  return {.code = code};
}

class PickerTest : public testing::Test {
 protected:
  static std::vector<PickerEntry> fruits() {
    return {{"1", "apple", "red"}, {"2", "banana", "yellow"}, {"3", "grape", "blue"}};
  }
  void type(std::string_view text) {
    for (const char c : text) picker_.feed(character(static_cast<char32_t>(c)));
  }
  std::string screen(int rows, int cols) {
    Frame frame(Rows{rows}, Cols{cols});
    picker_.draw(frame);
    return frame.to_text();
  }
  std::string current() const { return picker_.current() == nullptr ? "" : picker_.current()->key; }

  Picker picker_{{.title = "Fruit",
                  .find = [](std::string_view query) { return fuzzy_filter(fruits(), query); },
                  .preview =
                      [](const PickerEntry& entry, Cols) {
                        return std::vector<Line>{{{{"about " + entry.text, {}}}}};
                      }}};
};

TEST_F(PickerTest, ShowsAllEntriesAndTheFirstIsChosen) {
  EXPECT_EQ(screen(5, 30),
            "Fruit ›\n"
            "› apple                    red\n"
            "  banana                yellow\n"
            "  grape                   blue\n"
            "Enter choose · ↑↓ move\n");
  EXPECT_EQ(current(), "1");
}

TEST_F(PickerTest, ALongNameEndsInAnEllipsis) {
  picker_ = Picker({.title = "Fruit", .find = [](std::string_view) {
                      return std::vector<PickerEntry>{{"1", "passion fruit from Peru", "purple"}};
                    }});
  EXPECT_THAT(screen(5, 20), HasSubstr("\n› passion f…  purple\n"));
  EXPECT_THAT(screen(5, 40), HasSubstr("\n› passion fruit from Peru         purple\n"));
}

TEST_F(PickerTest, TypingNarrowsTheListAndMarksWhatMatches) {
  type("ap");
  EXPECT_EQ(current(), "1");
  Frame frame(Rows{4}, Cols{30});
  picker_.draw(frame);
  EXPECT_THAT(frame.to_text(), HasSubstr("› apple"));
  EXPECT_THAT(frame.to_text(), HasSubstr("  grape"));
  EXPECT_THAT(frame.to_text(), Not(HasSubstr("banana")));
  EXPECT_TRUE(frame.at({Rows{1}, Cols{2}}).style.bold);
  EXPECT_FALSE(frame.at({Rows{1}, Cols{4}}).style.bold);
  EXPECT_EQ(frame.cursor, (Point{Rows{0}, Cols{10}}));
  type("zzz");
  EXPECT_EQ(current(), "");
  EXPECT_THAT(screen(4, 30), HasSubstr("Nothing matches."));
  EXPECT_EQ(picker_.feed(key(Key::Code::enter)), Picker::Outcome::open);
}

TEST_F(PickerTest, KeysMoveEditChooseAndLeave) {
  picker_.feed(key(Key::Code::down));
  EXPECT_EQ(current(), "2");
  picker_.feed(control(U'n'));
  picker_.feed(key(Key::Code::down));
  EXPECT_EQ(current(), "3");
  picker_.feed(control(U'p'));
  EXPECT_EQ(current(), "2");
  type("x y");
  picker_.feed(control(U'w'));
  EXPECT_EQ(picker_.query(), "x ");
  picker_.feed(control(U'u'));
  picker_.paste("é\n");
  picker_.feed(key(Key::Code::backspace));
  picker_.feed(key(Key::Code::backspace));
  EXPECT_EQ(picker_.query(), "");
  EXPECT_EQ(picker_.feed(key(Key::Code::enter)), Picker::Outcome::chosen);
  EXPECT_EQ(picker_.feed(key(Key::Code::escape)), Picker::Outcome::cancelled);
  EXPECT_EQ(picker_.feed(control(U'c')), Picker::Outcome::cancelled);
}

TEST_F(PickerTest, ThePreviewIsBesideTheListOrBelowOrNotThere) {
  EXPECT_THAT(screen(10, 80), HasSubstr("│ about apple"));
  EXPECT_THAT(screen(20, 40), HasSubstr("\nabout apple"));
  EXPECT_THAT(screen(10, 40), Not(HasSubstr("about")));
}

TEST_F(PickerTest, TheListFollowsTheChosenEntry) {
  Picker long_list({.title = "n", .find = [](std::string_view) {
                      std::vector<PickerEntry> entries;
                      for (int i = 0; i < 100; ++i)
                        entries.push_back({std::to_string(i), "entry " + std::to_string(i), ""});
                      return entries;
                    }});
  long_list.move_to("57");
  Frame frame(Rows{6}, Cols{20});
  long_list.draw(frame);
  EXPECT_THAT(frame.to_text(), HasSubstr("› entry 57"));
  long_list.feed(key(Key::Code::page_down));
  EXPECT_EQ(long_list.current()->key, "61");
  EXPECT_EQ(long_list.feed(Click{.row = 2, .col = 3}), Picker::Outcome::chosen);
  EXPECT_EQ(long_list.current()->key, "55");
}

TEST_F(PickerTest, AClickChoosesAnEntryAndNothingElse) {
  screen(10, 80);
  EXPECT_EQ(picker_.feed(Click{.row = 0, .col = 3}), Picker::Outcome::open) << "the query";
  EXPECT_EQ(picker_.feed(Click{.row = 4, .col = 3}), Picker::Outcome::open) << "below the list";
  EXPECT_EQ(picker_.feed(Click{.row = 2, .col = 60}), Picker::Outcome::open) << "the preview";
  EXPECT_EQ(picker_.feed(Click{.row = 2, .col = 3}), Picker::Outcome::chosen);
  EXPECT_EQ(current(), "2");
}

// A list that can lose entries and have them called otherwise.
class ActingPickerTest : public testing::Test {
 protected:
  std::optional<PickerAct> act(const Key& key, const PickerEntry& entry) {
    if (!key.ctrl) return std::nullopt;
    const auto found = std::ranges::find(entries_, entry.key, &PickerEntry::key);
    if (key.character == U'd')
      return PickerAct{
          .question = PickerQuestion{
              .label = label_, .done = [this, found](const auto&) { entries_.erase(found); }}};
    if (key.character == U'r')
      return PickerAct{.question = PickerQuestion{
                           .label = "Name:", .text = entry.text, .done = [found](const auto& text) {
                             found->text = text;
                           }}};
    if (key.character != U's') return std::nullopt;
    std::ranges::reverse(entries_);
    return PickerAct{.title = "Turned"};
  }
  std::string screen() {
    Frame frame(Rows{6}, Cols{30});
    picker_.draw(frame);
    return frame.to_text();
  }
  std::string label_ = "Sure?";
  std::vector<PickerEntry> entries_{{"1", "a", ""}, {"2", "b", ""}, {"3", "c", ""}};
  Picker picker_{
      {.title = "Letters",
       .find = [this](std::string_view query) { return fuzzy_filter(entries_, query); },
       .keys = {"Ctrl+D delete", "Ctrl+R rename"},
       .act = [this](const Key& key, const PickerEntry& entry) { return act(key, entry); }}};
};

TEST_F(ActingPickerTest, ALongQuestionStandsOverTheEndOfTheList) {
  label_ = "Delete \"" + std::string(90, 'a') + "\" for good?";
  picker_.feed(control(U'd'));
  EXPECT_THAT(screen(), testing::StartsWith("Letters ›\n› a\n  b\nDelete\n\"aaaa"));
  EXPECT_THAT(screen(), testing::EndsWith("\" for good? (y/n)\n"));
}

TEST_F(ActingPickerTest, WhatIsAskedStandsInTheLastRowAndTheListStays) {
  EXPECT_THAT(screen(), HasSubstr("\nCtrl+D delete · Ctrl+R rename\n"));
  picker_.feed(key(Key::Code::down));
  picker_.feed(control(U'd'));
  EXPECT_THAT(screen(), HasSubstr("› b"));
  EXPECT_THAT(screen(), HasSubstr("\nSure? (y/n)\n"));
  EXPECT_EQ(picker_.feed(key(Key::Code::enter)), Picker::Outcome::open);
  EXPECT_EQ(picker_.feed(Click{.row = 1, .col = 1}), Picker::Outcome::open);
  picker_.feed(character(U'n'));
  EXPECT_EQ(entries_.size(), 3U);
  picker_.feed(control(U'd'));
  picker_.feed(character(U'y'));
  EXPECT_EQ(entries_.size(), 2U);
  EXPECT_THAT(screen(), HasSubstr("› c")) << "the next one";
}

TEST_F(ActingPickerTest, ANameIsChangedInThePlaceOfTheKeys) {
  picker_.feed(control(U'r'));
  EXPECT_THAT(screen(), HasSubstr("\nName: a\n"));
  picker_.paste("bc");
  EXPECT_EQ(picker_.feed(key(Key::Code::enter)), Picker::Outcome::open);
  EXPECT_EQ(entries_[0].text, "abc");
  EXPECT_THAT(screen(), HasSubstr("› abc"));
  picker_.feed(control(U'r'));
  EXPECT_EQ(picker_.feed(key(Key::Code::escape)), Picker::Outcome::open) << "the list stays";
  EXPECT_THAT(screen(), HasSubstr("Ctrl+D delete"));
}

TEST_F(ActingPickerTest, AnotherOrderKeepsTheEntryAndTellsItself) {
  picker_.feed(control(U's'));
  EXPECT_THAT(screen(), HasSubstr("Turned ›\n  c\n  b\n› a"));
}

TEST_F(PickerTest, DetailsAreMarkedToo) {
  picker_ = Picker({.title = "Fruit", .find = [](std::string_view) {
                      return std::vector<PickerEntry>{{"1", "a", "of foxes", {}, {3, 4, 5, 6, 7}}};
                    }});
  Frame frame(Rows{4}, Cols{30});
  picker_.draw(frame);
  EXPECT_FALSE(frame.at({Rows{1}, Cols{23}}).style.bold);
  EXPECT_TRUE(frame.at({Rows{1}, Cols{25}}).style.bold);
}

TEST_F(PickerTest, UntrustedTextIsShownSafely) {
  Picker picker({.title = "t\x1b]0;x\a", .find = [](std::string_view) {
                   return std::vector<PickerEntry>{{"1", "a\x1b[2Jb\nc\u202e", "d\x07"}};
                 }});
  Frame frame(Rows{3}, Cols{60});
  picker.draw(frame);
  for (int row = 0; row < 3; ++row)
    for (int col = 0; col < 60; ++col) {
      const std::string& text = frame.at({Rows{row}, Cols{col}}).text;
      EXPECT_EQ(text, sanitize(text));
      EXPECT_EQ(text.find('\n'), std::string::npos);
    }
}

TEST_F(PickerTest, FitsEveryFrame) {
  for (int rows = 1; rows < 20; ++rows)
    for (int cols = 1; cols < 90; ++cols) {
      Frame frame{Rows{rows}, Cols{cols}};
      picker_.draw(frame);
      ASSERT_TRUE(frame.cursor && frame.cursor->col < frame.cols());
    }
}

}  // namespace
}  // namespace confab::ui
