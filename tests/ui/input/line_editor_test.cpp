// SPDX-License-Identifier: MIT
// Asked by LeakSanitizer where there is one. readline loses the undo lists of searches and of
// edited entries, some bytes for a key of the random ones.
#include "ui/input/line_editor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/ui/input/line_editor_env.h"

extern "C" const char* __lsan_default_suppressions() {
  return "leak:libreadline";
}

namespace confab::ui {
namespace {

// readline reads the inputrc once in a program: these checks run in a new one, as death tests do.
class LineEditorInputrcTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  template <typename Check>
  [[noreturn]] static void exit_with(const std::string& inputrc, Check check) {
    const std::string path = testing::TempDir() + "confab-inputrc-" + std::to_string(getpid());
    std::ofstream(path) << inputrc;
    setenv("INPUTRC", path.c_str(), 1);
    use_utf8_locale();
    bool ok = false;
    {
      LineEditor editor(LineEditor::Display::none);
      ok = check(editor);
    }
    std::remove(path.c_str());
    std::exit(ok ? 0 : 1);
  }
};

bool edits_as_vi(LineEditor& editor) {
  for (const char* keys : {"one two", "\x1b", "b", "D"}) editor.feed(keys);
  const bool edited = editor.vi_mode() && editor.text() == "one ";
  for (const char* keys : {"A", "\n", "x", "\x1b\r"}) editor.feed(keys);
  return edited && editor.text() == "one \nx\n";
}

TEST_F(LineEditorInputrcTest, ViKeysWork) {
  EXPECT_EXIT(exit_with("set editing-mode vi\n", edits_as_vi), testing::ExitedWithCode(0), "");
}

bool types_fox(LineEditor& editor) {
  editor.feed("\x14");
  return editor.text() == "fox";
}

TEST_F(LineEditorInputrcTest, ConditionsNameTheProgram) {
  const char* inputrc =
      "$if confab\n\"\\C-t\": \"fox\"\n$endif\n"
      "$if other\n\"\\C-t\": \"hen\"\n$endif\n";
  EXPECT_EXIT(exit_with(inputrc, types_fox), testing::ExitedWithCode(0), "");
}

bool kills_the_line(LineEditor& editor) {
  editor.feed("text");
  editor.feed("\n");
  return editor.text().empty();
}

TEST_F(LineEditorInputrcTest, WhatItBindsGoesBeforeOurKeys) {
  EXPECT_EXIT(exit_with("\"\\C-j\": kill-whole-line\n", kills_the_line), testing::ExitedWithCode(0),
              "");
}

// readline looks the locale up again for each line.
bool edits_utf8(LineEditor& editor) {
  for (const char* keys : {"é", "界"}) editor.feed(keys);
  const bool submitted = editor.feed("\r").submitted == "é界";
  for (const char* keys : {"界", "\x7f"}) editor.feed(keys);
  return submitted && editor.text().empty();
}

TEST_F(LineEditorInputrcTest, Utf8IsEditedInTheCLocale) {
  EXPECT_EXIT((setenv("LC_ALL", "C", 1), exit_with("", edits_utf8)), testing::ExitedWithCode(0),
              "");
}

// Byte sequences that broke readline 8.2 in emacs mode or in vi mode are among these.
bool survives_random_keys(LineEditor& editor) {
  const std::array<std::string_view, 15> special = {"\x1b[A",
                                                    "\x1b[B",
                                                    "\x1b[C",
                                                    "\x1b[H",
                                                    "\x1b[3~",
                                                    "\x1b",
                                                    "\x1b\r",
                                                    "é",
                                                    "界",
                                                    "\x1b"
                                                    "f",
                                                    "\x1bp",
                                                    "\x12",
                                                    "\x13",
                                                    "\x18",
                                                    "\r"};
  std::mt19937 rng(20261121);
  editor.set_history({"one", "two\nlines", "界é"});
  for (int i = 0; i < 20000; ++i) {
    const char byte = static_cast<char>(1 + rng() % 127);
    editor.feed(rng() % 3 == 0 ? special[rng() % special.size()] : std::string_view(&byte, 1));
    if (editor.caret() > editor.text().size()) return false;
    if (editor.text().size() > 2000) editor.clear();
  }
  return true;
}

TEST_F(LineEditorInputrcTest, NoKeysHangOrBreakViMode) {
  EXPECT_EXIT(exit_with("set editing-mode vi\n", survives_random_keys), testing::ExitedWithCode(0),
              "");
}

class LineEditorStateTest : public LineEditorTest {};

TEST_F(LineEditorStateTest, ASecondOneAfterTheFirstStartsAnew) {
  {
    LineEditor first(LineEditor::Display::none);
    first.add_history("old");
    first.feed("text");
    first.feed("\x12");  // in the middle of a search
  }
  LineEditor second(LineEditor::Display::none);
  EXPECT_EQ(second.text(), "");
  second.feed("\x10");
  EXPECT_EQ(second.text(), "");
}

TEST_F(LineEditorStateTest, ANumericArgumentIsShown) {
  LineEditor editor(LineEditor::Display::none);
  editor.feed(
      "\x1b"
      "3");
  EXPECT_EQ(editor.message(), "(arg: 3) ");
  editor.feed("x");
  EXPECT_EQ(editor.text(), "xxx");
  EXPECT_EQ(editor.message(), "");
}

TEST_F(LineEditorStateTest, AKeyOfSeveralEndsASearchAndKeepsWhatItFound) {
  for (const std::vector<std::string>& keys :
       {std::vector<std::string>{"\x18", "I"}, {"\x18", "\x15"}, {"\x1b[C"}, {"\x1b[99~"}}) {
    LineEditor editor(LineEditor::Display::none);
    editor.set_history({"a fox"});
    editor.feed("\x12");
    editor.feed("x");
    for (const std::string& key : keys) editor.feed(key);
    EXPECT_EQ(editor.text(), "a fox");
    EXPECT_FALSE(editor.searching());
    EXPECT_EQ(editor.message(), "");
  }
}

TEST_F(LineEditorStateTest, WhatIsEditedInTheHistoryDoesNotOutliveTheLine) {
  LineEditor editor(LineEditor::Display::none);
  editor.set_history({"one", "two"});
  for (const char* keys : {"\x10", "!", "\x10"}) editor.feed(keys);
  EXPECT_EQ(editor.feed("\r").submitted, "one");
  editor.feed("\x10");
  EXPECT_EQ(editor.text(), "two");
}

TEST_F(LineEditorStateTest, NoKeysHangOrBreakIt) {
  LineEditor editor(LineEditor::Display::none);
  EXPECT_TRUE(survives_random_keys(editor));
}

class LineEditorKeysTest : public LineEditorTest {
 protected:
  LineEditorKeysTest() {
    editor_.set_hooks({.move = {},
                       .complete = [this](int step) { said_ += step > 0 ? "tab " : "backtab "; },
                       .expand = [this] { said_ += "expand "; },
                       .changed_history = [this] { return ++n_asked_, changed_; }});
  }

  LineEditor editor_{LineEditor::Display::none};
  std::string said_;
  int n_asked_ = 0;
  std::optional<std::vector<std::string>> changed_;
};

TEST_F(LineEditorKeysTest, KeysOfOursCallTheirHooks) {
  for (const char* keys : {"\t", "\x1b[Z", "\x0f"}) editor_.feed(keys);
  EXPECT_EQ(said_, "tab backtab expand ");
  EXPECT_EQ(editor_.text(), "");
}

TEST_F(LineEditorKeysTest, TheEditorIsAskedForByBothOfItsKeys) {
  EXPECT_FALSE(editor_.feed("x").edit);
  EXPECT_TRUE(editor_.feed("\x07").edit);
  EXPECT_FALSE(editor_.feed("\x18").edit);
  EXPECT_TRUE(editor_.feed("\x05").edit);
  EXPECT_EQ(editor_.text(), "x");
}

TEST_F(LineEditorKeysTest, InASearchCtrlGEndsIt) {
  editor_.set_history({"a fox"});
  editor_.feed("\x12");
  editor_.feed("f");
  EXPECT_FALSE(editor_.feed("\x07").edit);
  EXPECT_FALSE(editor_.searching());
  EXPECT_EQ(editor_.text(), "");
}

TEST_F(LineEditorKeysTest, TheHistoryIsRenewedBeforeItIsUsed) {
  editor_.set_history({"old"});
  changed_ = {"old", "of another program"};
  editor_.feed("\x12");
  editor_.feed("a");
  EXPECT_EQ(editor_.text(), "of another program");
  editor_.clear();
  changed_ = {"newest"};
  editor_.feed("\x1b[A");
  EXPECT_EQ(editor_.text(), "newest");
}

TEST_F(LineEditorKeysTest, AnEntryThatIsEditedIsLeftAlone) {
  editor_.set_history({"one", "two"});
  editor_.feed("draft");
  editor_.feed("\x1b[A");
  const int n_asked = n_asked_;
  editor_.feed("\x1b[A");
  EXPECT_EQ(n_asked_, n_asked);
  editor_.feed("\x1b[B");
  editor_.feed("\x1b[B");
  EXPECT_EQ(editor_.text(), "draft");
}

}  // namespace
}  // namespace confab::ui
