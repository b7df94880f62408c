// SPDX-License-Identifier: MIT
#include "app/screen/pickers.h"

#include <gmock/gmock.h>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Code = ui::Key::Code;

class PickersTest : public ScreenFixture {};

TEST_F(PickersTest, AConversationIsFoundByItsTitleOrByWhatWasSaid) {
  submit("Tell me of cats");
  answer("They sleep.");
  submit("/new");
  submit("Tell me of dogs");
  answer("They bark.");
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

TEST_F(PickersTest, ATitleThatIsANumberTakesNobodysPlace) {
  submit("Tell me of cats");
  answer("They sleep.");
  submit("/new");
  submit("Tell me of dogs");
  answer("They bark.");
  submit("/rename 1");
  submit("/resume");
  type("cats");
  EXPECT_THAT(text(12, 100), HasSubstr("They sleep."));
  press(Code::enter);
  EXPECT_THAT(text(12, 100), HasSubstr("› Tell me of cats\n"));
}

TEST_F(PickersTest, AConversationIsReadOnceHoweverOftenItIsDrawn) {
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
TEST_F(PickersTest, OfALongMessageTheBeginningIsRead) {
  submit("Tell me of cats");
  std::string long_text = "They sleep.";
  for (int i = 0; i < 2000; ++i) long_text += fmt::format(" {}", i);
  answer(long_text);
  submit("/new");
  submit("/resume");
  EXPECT_THAT(text(80, 300), HasSubstr("They sleep. 0 1 2"));
  EXPECT_THAT(text(80, 300), Not(HasSubstr("1999")));
}

TEST_F(PickersTest, WithoutConversationsThatIsSaid) {
  submit("/resume");
  EXPECT_THAT(text(), HasSubstr("no saved conversations yet"));
}

TEST_F(PickersTest, ThemesAreShownWhilePassingOverThem) {
  submit("/theme");
  EXPECT_THAT(text(14, 90), HasSubstr("Themes ›"));
  EXPECT_THAT(text(14, 90), HasSubstr("A heading"));
  press(Code::down);
  press(Code::escape);
  submit("/theme");
  type("light");
  press(Code::enter);
  EXPECT_THAT(host_.themes, ElementsAre("dark", "16-colour", "light", "light"));
  EXPECT_THAT(text(14, 90), HasSubstr("Theme: light."));
}

TEST_F(PickersTest, ModelsAreListedWithTheirSize) {
  submit("/model");
  EXPECT_THAT(text(12, 100), HasSubstr("Models ›"));
  EXPECT_THAT(text(12, 100), HasSubstr("confab-demo"));
  EXPECT_THAT(text(12, 100), HasSubstr("46 M parameters"))
      << "and the one under the cursor described";
  press(Code::escape);
  EXPECT_FALSE(screen_.done());
}

}  // namespace
}  // namespace confab::app
