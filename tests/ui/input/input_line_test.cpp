// SPDX-License-Identifier: MIT
#include "ui/input/input_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/ui/input/line_editor_env.h"
#include "ui/terminal/key_decoder.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

class InputLineTest : public LineEditorTest {
 protected:
  // Types what a terminal would send; the last result that says anything.
  InputResult type(std::string_view bytes) {
    KeyDecoder decoder;
    const KeyDecoder::Clock::time_point now{};
    std::vector<Event> events = decoder.feed(bytes, now);
    for (Event& event : decoder.expire(now + KeyDecoder::kIdleTimeout)) events.push_back(event);
    InputResult last;
    for (const Event& event : events) {
      InputResult result = line_.feed(std::get<Key>(event));
      if (result.submitted || result.end || result.edit) last = std::move(result);
    }
    return last;
  }

  // The lines in view with "|" at the caret.
  std::string shown(int cols, int rows = 10) {
    const InputLayout layout = line_.layout(Cols{cols}, Rows{rows});
    std::string text;
    for (std::size_t row = 0; row < layout.lines.size(); ++row) {
      std::string line = to_text(layout.lines[row]);
      if (static_cast<int>(row) == layout.caret.row.value) {
        const std::size_t at = clip(line, layout.caret.col).size();
        line.insert(at, "|");
      }
      text += line + "\n";
    }
    return text;
  }

  InputLine line_;
};

TEST_F(InputLineTest, EnterSubmitsAndEmptiesTheLine) {
  EXPECT_EQ(type("hello\r").submitted, "hello");
  EXPECT_EQ(line_.text(), "");
  EXPECT_EQ(type("\r").submitted, "");
}

TEST_F(InputLineTest, EndsOnlyOnAnEmptyLine) {
  type("ab\x01");
  EXPECT_FALSE(type("\x04").end);
  EXPECT_EQ(line_.text(), "b");
  type("\x04");
  EXPECT_TRUE(type("\x04").end);
  EXPECT_EQ(type("on\r").submitted, "on");
}

TEST_F(InputLineTest, HasReadlinesKeys) {
  type("one two three\x17");  // Ctrl+W
  EXPECT_EQ(line_.text(), "one two ");
  type(
      "\x01\x1b"
      "f\x0b");  // Ctrl+A, Alt+F, Ctrl+K
  EXPECT_EQ(line_.text(), "one");
  type("\x19\x19");  // Ctrl+Y
  EXPECT_EQ(line_.text(), "one two  two ");
  type("\x1f\x15");  // Ctrl+_, Ctrl+U
  EXPECT_EQ(line_.text(), "");
}

TEST_F(InputLineTest, CaretMovesByCharactersNotBytes) {
  type("aé界\x1b[D\x1b[D");
  EXPECT_EQ(line_.caret(), 1u);
  type("\x1b[3~");
  EXPECT_EQ(line_.text(), "a界");
  type("\x1b[F\x7f");
  EXPECT_EQ(line_.text(), "a");
}

TEST_F(InputLineTest, BackspaceDeleteAndArrowsTakeWhatIsOneCharacterOnTheScreen) {
  const char* const characters[] = {
      "👩‍👩‍👧", "👍🏽", "🇩🇪", "e\u0301", "☎️", "한", "界", "é", "x"};
  for (const std::string character : characters) {
    line_.set_text("a" + character);
    type(
        "\x7f"
        "b");
    EXPECT_EQ(line_.text(), "ab") << character;
    line_.set_text("a" + character + "b");
    type("\x02\x02\x04");
    EXPECT_EQ(line_.text(), "ab") << character << " by Ctrl+D, behind two arrows";
    line_.set_text(character + character);
    type("\x1b[H\x1b[C-\x1b[3~");
    EXPECT_EQ(line_.text(), character + "-") << character;
    line_.clear();
  }
  line_.set_text("🇩🇪🇫🇷🇮🇹");
  type("\x7f\x7f");
  EXPECT_EQ(line_.text(), "🇩🇪") << "flags are counted from the first";
  line_.set_text("a\n👍🏽");
  type("\x7f\x7f\x7f");
  EXPECT_EQ(line_.text(), "");
}

TEST_F(InputLineTest, WhatBackspaceTookComesBack) {
  line_.set_text("");
  type("a👍🏽\x7f\x1f");
  EXPECT_EQ(line_.text(), "a👍🏽");
}

TEST_F(InputLineTest, KeysOfAllTerminalsEdit) {
  struct Case {
    const char* keys;
    const char* text;  // what becomes of "one two", with the caret at its end, and x typed
  };
  for (const Case& c : {Case{"\x1b[127;5u", "one x"},
                        {"\x1b[8;5u", "one x"},
                        {"\x1b[127;3u", "one x"},
                        {"\x1b[8;3u", "one x"},
                        {"\x1b[7$", "xone two"},
                        {"\x1b[1;2H", "xone two"},
                        {"\x1b\x1b[D", "one xtwo"},
                        {"\x1bOd", "one xtwo"},
                        {"\x1b[1;5D", "one xtwo"},
                        {"\x1b[d", "one twxo"},
                        {"\x1b[H\x1b[3^", "x two"},
                        {"\x1b[H\x1b[3;5~", "x two"},
                        {"\x1b[H\x1b[3$", "xne two"},
                        {"\x1b[1092;5u\x1b[1094::119;5u", "xone two"},
                        {"\x1b[45;6u", "x"},
                        {"\x1b[99;9u\x1b[49;5u", "one twox"}}) {
    line_.clear();
    type("one two");
    type(c.keys);
    type("x");
    EXPECT_EQ(line_.text(), c.text) << testing::PrintToString(std::string(c.keys));
  }
}

TEST_F(InputLineTest, CtrlJAndAltEnterAndShiftEnterBreakTheLine) {
  type("a\nb\x1b\rc\x1b[13;2ud");
  EXPECT_EQ(line_.text(), "a\nb\nc\nd");
  EXPECT_EQ(type("\r").submitted, "a\nb\nc\nd");
}

TEST_F(InputLineTest, UpAndDownStayInTheTextBeforeTheyLeaveIt) {
  line_.add_history("old");
  type("first line\nx\nthird line");
  line_.layout(Cols{40}, Rows{10});
  type("\x1b[A");
  EXPECT_EQ(shown(40), "first line\nx|\nthird line\n");
  type("\x1b[A");
  EXPECT_EQ(shown(40), "f|irst line\nx\nthird line\n");
  type("\x1b[A");
  EXPECT_EQ(line_.text(), "old");
  type("\x1b[B");
  EXPECT_EQ(line_.text(), "first line\nx\nthird line");
}

TEST_F(InputLineTest, UpMovesThroughWrappedLines) {
  type("abcdefghij");
  EXPECT_EQ(shown(4), "abcd\nefgh\nij|\n");
  type("\x1b[A");
  EXPECT_EQ(shown(4), "abcd\nef|gh\nij\n");
  type("\x1b[A\x1b[F");
  EXPECT_EQ(line_.caret(), 10u) << "End is the end of the text's line, not of the screen's";
}

TEST_F(InputLineTest, HomeAndEndStayInTheLine) {
  type("one\ntwo\nthree\x1b[A\x1b[H");
  EXPECT_EQ(shown(20), "one\n|two\nthree\n");
  type("\x05");
  EXPECT_EQ(shown(20), "one\ntwo|\nthree\n");
}

TEST_F(InputLineTest, HistorySkipsRepeatsAndBlanks) {
  for (const char* entry : {"one", "two", "two", "  ", ""}) line_.add_history(entry);
  type("draft\x1b[A");
  EXPECT_EQ(line_.text(), "two");
  type("\x1b[A");
  EXPECT_EQ(line_.text(), "one");
  type("\x1b[B\x1b[B");
  EXPECT_EQ(line_.text(), "draft");
}

TEST_F(InputLineTest, AMultiLineEntryComesBackWhole) {
  line_.set_history({"a\nb", "c"});
  type("\x10\x10");  // Ctrl+P
  EXPECT_EQ(line_.text(), "a\nb");
}

TEST_F(InputLineTest, SearchesTheHistory) {
  line_.set_history({"tell me of a fox", "and of a hen"});
  type(
      "\x12"
      "fox");
  EXPECT_EQ(line_.message(), "(reverse-i-search)`fox': ");
  EXPECT_EQ(line_.text(), "tell me of a fox");
  EXPECT_EQ(type("\r").submitted, "tell me of a fox");
  EXPECT_EQ(line_.message(), "");
}

TEST_F(InputLineTest, EscapeEndsASearchAndElseWaitsForNothing) {
  line_.set_history({"fox"});
  type(
      "\x12"
      "fo");
  type("\x1b");
  EXPECT_EQ(line_.message(), "");
  EXPECT_EQ(line_.text(), "fox");
  type("\x1b");
  type("d");
  EXPECT_EQ(type("\r").submitted.value_or("").size(), 4u) << "Escape then d is not Alt+D";
}

TEST_F(InputLineTest, ClearLeavesASearchAndTheHistory) {
  line_.set_history({"one", "two"});
  type("\x1b[A\x1b[A");
  line_.clear();
  EXPECT_EQ(line_.text(), "");
  type(
      "\x12"
      "o");
  line_.clear();
  EXPECT_EQ(line_.text(), "");
  EXPECT_EQ(line_.message(), "");
  type("\x1b[A");
  EXPECT_EQ(line_.text(), "two");
}

TEST_F(InputLineTest, APasteIsTakenLiterally) {
  type("<>\x02");
  line_.paste("one\r\ntwo\rthree\tx\x1b[31m\x03\x7f\xc2\x9b");
  EXPECT_EQ(line_.text(), "<one\ntwo\nthree\tx␛[31m␃␡␛[>");
  type("!");
  EXPECT_EQ(line_.text(), "<one\ntwo\nthree\tx␛[31m␃␡␛[!>");
}

TEST_F(InputLineTest, ALargeTextIsLaidOutAroundTheCaret) {
  std::string large;
  for (int i = 0; i < 20000; ++i) large += "line " + std::to_string(i) + "\n";
  line_.set_text(large);
  EXPECT_EQ(shown(80, 3), "line 19998\nline 19999\n|\n");
  EXPECT_EQ(type("\r").submitted, large);
}

std::vector<Candidate> complete_commands(std::string_view before, std::string_view word) {
  std::vector<Candidate> found;
  if (!before.empty()) return found;
  for (const std::string command : {"/list", "/load", "/new"})
    if (command.starts_with(word)) found.push_back({command, "command"});
  return found;
}

TEST_F(InputLineTest, CompletesTheWordBeforeTheCaret) {
  line_.set_completer(complete_commands);
  type("/n\t");
  EXPECT_EQ(line_.text(), "/new ");
  type("\t");
  EXPECT_EQ(line_.text(), "/new ");
  EXPECT_TRUE(line_.menu(Cols{80}, Rows{5}).empty());
}

TEST_F(InputLineTest, TabGoesThroughTheCandidatesAndTypingClosesTheirList) {
  line_.set_completer(complete_commands);
  type("/\t");
  EXPECT_EQ(line_.text(), "/");
  EXPECT_EQ(to_text(line_.menu(Cols{80}, Rows{5})),
            "/list  command\n/load  command\n/new   command\n");
  type("\t\t");
  EXPECT_EQ(line_.text(), "/load");
  type("\x1b[Z");
  EXPECT_EQ(line_.text(), "/list");
  type(" x");
  EXPECT_EQ(line_.text(), "/list x");
  EXPECT_TRUE(line_.menu(Cols{80}, Rows{5}).empty());
  type("\x1f\x1f\x1f\x1f");
  EXPECT_EQ(line_.text(), "/") << "each step is undone";
}

TEST_F(InputLineTest, EscapeClosesTheListOfCandidates) {
  line_.set_completer(complete_commands);
  type("/l\t");
  EXPECT_FALSE(line_.menu(Cols{80}, Rows{5}).empty());
  type("\x1b");
  EXPECT_TRUE(line_.menu(Cols{80}, Rows{5}).empty());
  EXPECT_EQ(type("\r").submitted, "/l");
}

TEST_F(InputLineTest, AFailingCompleterCompletesNothing) {
  line_.set_completer([](std::string_view, std::string_view) -> std::vector<Candidate> {
    throw std::runtime_error("no");
  });
  type("/n\t");
  EXPECT_EQ(line_.text(), "/n");
}

TEST_F(InputLineTest, FoldersAreCompletedFurther) {
  line_.set_completer([](std::string_view, std::string_view word) {
    return std::vector<Candidate>{{std::string(word) + (word.ends_with('/') ? "file" : "/")}};
  });
  type("see @\"a b\t\t");
  EXPECT_EQ(line_.text(), "see @\"a b/file ");
}

TEST_F(InputLineTest, EnterBehindABackslashBreaksTheLine) {
  EXPECT_FALSE(type("one\\\r").submitted);
  EXPECT_EQ(line_.text(), "one\n");
  EXPECT_EQ(type("two\r").submitted, "one\ntwo");
  EXPECT_EQ(type("C:\\\\\r").submitted, "C:\\\\");
}

TEST_F(InputLineTest, EnterBreaksTheLineInABlock) {
  EXPECT_FALSE(type("\"\"\"one\r\r two\r").submitted);
  EXPECT_EQ(type("\"\"\"\r").submitted, "one\n\n two");
  EXPECT_EQ(type("\"\"\"x\"\"\"\r").submitted, "x");
  EXPECT_EQ(type("\"\"\"a\\\rb\"\"\"\r").submitted, "a\\\nb") << "a block is taken as it is";
}

std::string many_lines() {
  std::string text;
  for (int i = 0; i < 12; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST_F(InputLineTest, ALongPasteIsFoldedAndSentWhole) {
  type("see ");
  line_.paste(many_lines());
  type("!");
  EXPECT_EQ(shown(60), "see [paste #1: 12 lines, 86 B]!|\n");
  EXPECT_EQ(line_.text(), "see " + many_lines() + "!");
  EXPECT_EQ(line_.caret(), line_.text().size());
  EXPECT_EQ(type("\r").submitted, "see " + many_lines() + "!");
}

TEST_F(InputLineTest, AChipIsOneCharacterToKeys) {
  type("ab");
  line_.paste(many_lines());
  type("\x1b[D\x1b[D");
  EXPECT_EQ(shown(60), "a|b[paste #1: 12 lines, 86 B]\n");
  type("\x05\x7f");
  EXPECT_EQ(shown(60), "ab|\n");
  type("\x1f");
  EXPECT_EQ(line_.text(), "ab" + many_lines()) << "undo brings it back";
}

TEST_F(InputLineTest, CtrlOExpandsTheChipAtTheCaret) {
  type("a");
  line_.paste(many_lines());
  type("\x0f");
  EXPECT_EQ(shown(60, 2), "line 11\n|\n");
  EXPECT_EQ(line_.text(), "a" + many_lines());
  EXPECT_FALSE(line_.expand_paste());
  type("\x1f");
  EXPECT_EQ(shown(60), "a[paste #1: 12 lines, 86 B]|\n");
  type("\x02");
  EXPECT_TRUE(line_.expand_paste()) << "on it as well as behind it";
  line_.set_text("b");
  EXPECT_FALSE(line_.expand_paste());
  line_.paste(many_lines());
  type(" and more");
  EXPECT_TRUE(line_.expand_paste()) << "and far behind it";
}

TEST_F(InputLineTest, NothingTypedOrPastedPosesAsAChip) {
  line_.paste(many_lines());
  line_.clear();
  line_.paste("x\xf4\x8e\x80\x80");
  type("\xf4\x8e\x80\x80");
  EXPECT_EQ(line_.text(), "x\uFFFD");
}

TEST_F(InputLineTest, TheEditorIsAskedFor) {
  type("text");
  EXPECT_TRUE(type("\x07").edit);
  EXPECT_TRUE(type("\x18\x05").edit);
  EXPECT_EQ(line_.text(), "text");
}

TEST_F(InputLineTest, AsksForTheHistoryBeforeASearch) {
  line_.set_history({"old"});
  line_.set_history_source([] { return std::vector<std::string>{"old", "new fox"}; });
  type(
      "\x12"
      "fox");
  EXPECT_EQ(line_.text(), "new fox");
}

TEST_F(InputLineTest, WrapsByColumnsAndPutsTheCaretOnTheNextCell) {
  type("ab");
  EXPECT_EQ(shown(4), "ab|\n");
  type("cd");
  EXPECT_EQ(shown(4), "abcd\n|\n");
  type("e");
  EXPECT_EQ(shown(4), "abcd\ne|\n");
  type("\x1b[D");
  EXPECT_EQ(shown(4), "abcd\n|e\n");
  type("\x15");
  EXPECT_EQ(shown(4), "|e\n");
}

TEST_F(InputLineTest, WideCharactersAreNotCutInHalf) {
  type("a界界");
  EXPECT_EQ(shown(4), "a界\n界|\n");
  EXPECT_EQ(shown(1), "a\n…\n…\n|\n");
}

TEST_F(InputLineTest, ShowsTabsAsSpacesAndKeepsThem) {
  line_.paste("a\tb");
  EXPECT_EQ(shown(20), "a   b|\n");
  EXPECT_EQ(line_.text(), "a\tb");
}

TEST_F(InputLineTest, AFullLineBeforeABreakTakesNoEmptyLine) {
  type("abcd\nef");
  EXPECT_EQ(shown(4), "abcd\nef|\n");
  type("\x1b[A\x1b[F");
  EXPECT_EQ(shown(4), "abcd\n|\nef\n") << "but the caret at its end has a cell to stand on";
}

TEST_F(InputLineTest, ShowsTheRowsAroundTheCaret) {
  type("1\n2\n3\n4\n5");
  EXPECT_EQ(shown(10, 2), "4\n5|\n");
  type("\x1b[A");
  EXPECT_EQ(shown(10, 2), "4|\n5\n");
  type("\x1b[A\x1b[A");
  EXPECT_EQ(shown(10, 2), "2|\n3\n");
  EXPECT_EQ(shown(10, 5), "1\n2|\n3\n4\n5\n");
}

TEST_F(InputLineTest, NothingHostileIsShown) {
  line_.set_text(
      "a\xe2\x80\xae"
      "b");
  EXPECT_EQ(line_.text(),
            "a\xe2\x80\xae"
            "b");
  EXPECT_EQ(shown(20).find("\xe2\x80\xae"), std::string::npos);
}

}  // namespace
}  // namespace confab::ui
