// SPDX-License-Identifier: MIT
#include "app/screen/dialog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace confab::app {
namespace {

using testing::ElementsAre;
using Code = ui::Key::Code;

class ScreenDialogTest : public testing::Test {
 protected:
  ScreenDialog::Actions actions() {
    return {.done = [this](const std::string& v) { calls_.push_back("done " + v); },
            .changed = [this](const std::string& v) { calls_.push_back("changed " + v); },
            .left = [this] { calls_.push_back("left"); }};
  }
  static ui::Picker fruits() {
    return ui::Picker({.title = "Fruit", .find = [](std::string_view query) {
                         return ui::fuzzy_filter({{"1", "apple", ""}, {"2", "banana", ""}}, query);
                       }});
  }
  std::vector<std::string> calls_;
};

TEST_F(ScreenDialogTest, AListTellsEveryOtherEntryAndTheChosenOne) {
  ScreenDialog dialog(fruits(), actions());
  EXPECT_FALSE(dialog.feed({.code = Code::down}));
  EXPECT_FALSE(dialog.feed({.code = Code::down}));
  dialog.paste("zz");
  EXPECT_FALSE(dialog.feed({.code = Code::enter}));
  EXPECT_THAT(calls_, ElementsAre("changed 2", "changed "));
  dialog.feed({.character = U'u', .ctrl = true});
  const auto end = dialog.feed({.code = Code::enter});
  ASSERT_TRUE(end);
  (*end)();
  EXPECT_THAT(calls_, ElementsAre("changed 2", "changed ", "changed 1", "done 1"));
}

TEST_F(ScreenDialogTest, ALineTellsItsText) {
  ScreenDialog dialog(ui::PromptLine("Find:"), actions());
  dialog.feed({.character = U'a'});
  dialog.paste("b");
  const auto end = dialog.feed({.code = Code::enter});
  ASSERT_TRUE(end);
  (*end)();
  EXPECT_THAT(calls_, ElementsAre("changed a", "changed ab", "done ab"));
}

TEST_F(ScreenDialogTest, LeavingIsToldToo) {
  for (ScreenDialog dialog :
       {ScreenDialog(fruits(), actions()), ScreenDialog(ui::PromptLine("Find:"), actions())}) {
    const auto end = dialog.feed({.code = Code::escape});
    ASSERT_TRUE(end);
    (*end)();
  }
  EXPECT_THAT(calls_, ElementsAre("left", "left"));
  ScreenDialog silent(fruits(), {});
  (*silent.feed({.code = Code::escape}))();
  (*silent.feed({.code = Code::enter}))();
}

TEST_F(ScreenDialogTest, AQuestionIsAnsweredWithAKey) {
  using Keys = std::vector<ui::Key>;
  for (const ui::Key& yes : Keys{{.character = U'y'}, {.character = U'Y'}}) {
    ScreenDialog dialog(ui::YesNo("Sure?"), actions());
    EXPECT_FALSE(dialog.feed({.character = U'x'}));
    EXPECT_FALSE(dialog.feed({.code = Code::enter}));
    EXPECT_FALSE(dialog.feed({.character = U'y', .alt = true}));
    dialog.paste("y");
    const auto end = dialog.feed(yes);
    ASSERT_TRUE(end);
    (*end)();
    EXPECT_THAT(std::exchange(calls_, {}), ElementsAre("done "));
  }
  for (const ui::Key& no : Keys{{.character = U'n'},
                                {.character = U'N'},
                                {.character = U'c', .ctrl = true},
                                {.code = Code::escape}}) {
    const auto end = ScreenDialog(ui::YesNo("Sure?"), actions()).feed(no);
    ASSERT_TRUE(end);
    (*end)();
    EXPECT_THAT(std::exchange(calls_, {}), ElementsAre("left"));
  }
}

TEST_F(ScreenDialogTest, TheKeysOfAQuestionAreInViewHoweverLongItIs) {
  ui::Frame frame(ui::Rows{2}, ui::Cols{20});
  ScreenDialog(ui::YesNo("Overwrite it?"), {}).draw(frame);
  EXPECT_EQ(frame.to_text(), "\nOverwrite it? (y/n)\n");
  ScreenDialog(ui::YesNo("a name\nof two lines exists. Overwrite it?"), {}).draw(frame);
  EXPECT_EQ(frame.to_text(), "a name of two li….\nOverwrite it? (y/n)\n");
  EXPECT_EQ(frame.cursor->col.value, 19);
}

TEST_F(ScreenDialogTest, AListCoversTheFrameAndALineItsLastRow) {
  ui::Frame frame(ui::Rows{3}, ui::Cols{30});
  frame.write({ui::Rows{0}, ui::Cols{0}}, "chat", {});
  ScreenDialog(ui::PromptLine("Find:", "x"), actions()).draw(frame);
  EXPECT_EQ(frame.to_text(), "chat\n\nFind: x\n");
  ScreenDialog(fruits(), actions()).draw(frame);
  EXPECT_EQ(frame.to_text(), "Fruit ›\n› apple\n  banana\n");
}

}  // namespace
}  // namespace confab::app
