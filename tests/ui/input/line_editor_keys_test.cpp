// SPDX-License-Identifier: MIT
#include "ui/input/line_editor_keys.h"

#include <gtest/gtest.h>

#include "tests/ui/input/line_editor_env.h"
#include "ui/input/line_editor.h"

namespace confab::ui {
namespace {

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
