// SPDX-License-Identifier: MIT
#include "app/screen/pickers.h"

#include <gmock/gmock.h>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::Not;
using Code = ui::Key::Code;

class ConversationPickerTest : public ScreenFixture {
 protected:
  void converse(std::string_view question, std::string_view reply) {
    submit("/new");
    submit(question);
    answer(reply);
  }
  std::string shown() { return text(12, 100); }
  std::vector<std::string> titles() {
    std::vector<std::string> titles;
    for (const auto& conversation : backend_.store->list()) titles.push_back(conversation.title);
    return titles;
  }
};

TEST_F(ConversationPickerTest, AConversationIsFoundByItsTitleOrByWhatWasSaid) {
  converse("Tell me of cats", "They sleep.");
  converse("Tell me of dogs", "They bark.");
  submit("/resume");
  EXPECT_THAT(text(12, 100), HasSubstr("Conversations ›"));
  EXPECT_THAT(text(12, 100), HasSubstr("They bark."));
  type("cats");
  EXPECT_THAT(text(12, 100), HasSubstr("They sleep."));
  EXPECT_THAT(text(12, 100), Not(HasSubstr("dogs")));
  press("Ctrl+U");
  type("sleep");
  EXPECT_THAT(text(12, 100), HasSubstr("They sleep."));
  press(Code::enter);
  EXPECT_THAT(text(12, 100), Not(HasSubstr("Conversations ›")));
  EXPECT_THAT(text(12, 100), HasSubstr("› Tell me of cats\n"));
}

// What the list's own question does may open a text, which waits until the list is left.
TEST_F(ConversationPickerTest, OneWithATitleOfSeveralLinesIsDeleted) {
  converse("Tell me of cats", "They sleep.");
  submit("/rename x");
  backend_.store->rename(backend_.store->list()[0].id, "cats\nand\ndogs");
  converse("Tell me of hens", "They lay.");
  submit("/resume");
  type("cats");
  control('d');
  EXPECT_THAT(shown(), HasSubstr("Delete \"cats"));
  type("y");
  EXPECT_THAT(titles(), testing::ElementsAre("Tell me of hens"));
  EXPECT_THAT(shown(), HasSubstr("Conversations ›"));
  press(Code::escape);
  EXPECT_THAT(shown(), Not(HasSubstr("Conversations ›")));
}

TEST_F(ConversationPickerTest, ATitleThatIsANumberTakesNobodysPlace) {
  converse("Tell me of cats", "They sleep.");
  converse("Tell me of dogs", "They bark.");
  submit("/rename 1");
  submit("/resume");
  type("cats");
  EXPECT_THAT(text(12, 100), HasSubstr("They sleep."));
  press(Code::enter);
  EXPECT_THAT(text(12, 100), HasSubstr("› Tell me of cats\n"));
}

TEST_F(ConversationPickerTest, AConversationIsReadOnceHoweverOftenItIsDrawn) {
  submit("Tell me of cats");
  answer("They sleep.");
  submit("/new");
  submit("/resume");
  EXPECT_THAT(text(12, 100), HasSubstr("They sleep."));
  backend_.store->remove(sessions::ConversationId{1});
  EXPECT_THAT(text(12, 100), HasSubstr("They sleep."));
  EXPECT_THAT(text(12, 80), HasSubstr("They sleep."));
  press(Code::enter);
  EXPECT_THAT(text(12, 100), HasSubstr("no conversation '#1'"));
}

// A conversation may be long, and what was attached to it longer.
TEST_F(ConversationPickerTest, OfALongMessageTheBeginningIsRead) {
  submit("Tell me of cats");
  std::string long_text = "They sleep.";
  for (int i = 0; i < 2000; ++i) long_text += fmt::format(" {}", i);
  answer(long_text);
  submit("/new");
  submit("/resume");
  EXPECT_THAT(text(80, 300), HasSubstr("They sleep. 0 1 2"));
  EXPECT_THAT(text(80, 300), Not(HasSubstr("1999")));
}

TEST_F(ConversationPickerTest, WithoutConversationsThatIsSaid) {
  submit("/resume");
  EXPECT_THAT(text(), HasSubstr("no saved conversations yet"));
}

TEST_F(ConversationPickerTest, ThePlaceThatMatchedIsShownWithItsWordsMarked) {
  converse("Tell me of cats", "In the garden they sleep under the old apple tree.");
  converse("Tell me of dogs", "They bark.");
  submit("/resume");
  type("apple");
  EXPECT_THAT(shown(), HasSubstr("› Tell me of cats"));
  EXPECT_THAT(shown(), HasSubstr("│ In the garden they sleep under the old apple"));
  const ui::Frame frame = screen_.frame(ui::Rows{12}, ui::Cols{100});
  int n_marked = 0, n_found = 0;
  for (int col = 0; col < 100; ++col) {
    n_marked += frame.at({ui::Rows{1}, ui::Cols{col}}).style.underline;
    for (int row = 1; row < 10; ++row)
      n_found += frame.at({ui::Rows{row}, ui::Cols{col}}).style.role == ui::Role::match;
  }
  EXPECT_GE(n_marked, 5) << "in the list";
  EXPECT_EQ(n_found, 5) << "and beside it";
}

TEST_F(ConversationPickerTest, TheOpenOneIsMarkedAndTwinsAreToldApart) {
  converse("Hello there, you", "One answer.");
  converse("Hello there, you", "Another answer.");
  converse("Something else", "Yes.");
  submit("/resume");
  EXPECT_THAT(text(12, 140), HasSubstr("Hello there, you · One answer."));
  EXPECT_THAT(text(12, 140), HasSubstr("Hello there, you · Another answer."));
  EXPECT_THAT(shown(), Not(HasSubstr("Something else ·")));
  const std::string open = shown().substr(shown().find("Something else"));
  EXPECT_LT(open.find("● "), open.find('\n'));
}

TEST_F(ConversationPickerTest, DeletesAfterAYesAndStays) {
  converse("Tell me of cats", "They sleep.");
  converse("Tell me of dogs", "They bark.");
  submit("/resume");
  EXPECT_THAT(text(12, 100), HasSubstr("Ctrl+D delete · Ctrl+R rename · Ctrl+T pin"));
  control('d');
  EXPECT_THAT(shown(), HasSubstr("Delete \"Tell me of dogs\" for good? (y/n)"));
  type("n");
  EXPECT_EQ(titles().size(), 2U);
  control('d');
  type("y");
  EXPECT_EQ(titles(), std::vector<std::string>{"Tell me of cats"});
  EXPECT_THAT(shown(), HasSubstr("Conversations ›"));
  EXPECT_THAT(shown(), Not(HasSubstr("dogs")));
  EXPECT_TRUE(screen_.needs_screen());
}

TEST_F(ConversationPickerTest, RenamesPinsAndSorts) {
  converse("Tell me of cats", "They sleep.");
  converse("Tell me of dogs", "They bark.");
  submit("/resume");
  control('r');
  EXPECT_THAT(shown(), HasSubstr("New title: Tell me of dogs"));
  type("!");
  press(Code::enter);
  EXPECT_THAT(shown(), HasSubstr("› Tell me of dogs!"));
  press(Code::down);
  control('t');
  EXPECT_THAT(shown(), HasSubstr("★"));
  EXPECT_EQ(titles().front(), "Tell me of cats");
  control('t');
  EXPECT_EQ(titles().front(), "Tell me of dogs!");
  control('s');
  EXPECT_THAT(shown(), HasSubstr("Conversations by title ›"));
  EXPECT_LT(shown().find("cats"), shown().find("dogs"));
  control('s');
  EXPECT_THAT(shown(), HasSubstr("Conversations, oldest first ›"));
  control('s');
  EXPECT_THAT(shown(), HasSubstr("Conversations ›"));
}

TEST_F(ConversationPickerTest, AClickOpensOne) {
  converse("Tell me of cats", "They sleep.");
  converse("Tell me of dogs", "They bark.");
  submit("/resume");
  EXPECT_THAT(shown(), HasSubstr("Conversations ›"));
  screen_.take(ui::Click{.row = 2, .col = 5});
  EXPECT_THAT(shown(), HasSubstr("› Tell me of cats\n"));
  screen_.take(ui::Click{.row = 2, .col = 5});  // on no list
}

}  // namespace
}  // namespace confab::app
