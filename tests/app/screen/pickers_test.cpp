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

class PickersTest : public ScreenFixture {
 protected:
  // Models that are loaded from now on have that file, which is no model.
  std::string name_draft_that_is_none() {
    backend_.options.n_threads = 1;
    return backend_.options.draft.path = home_.file("junk.gguf", "junk");
  }
};

TEST_F(PickersTest, ThemesAreShownWhilePassingOverThem) {
  submit("/theme");
  EXPECT_THAT(text(14, 90), HasSubstr("Themes ›"));
  EXPECT_THAT(text(14, 90), HasSubstr("A heading"));
  EXPECT_THAT(text(14, 90), HasSubstr("in use"));
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
  EXPECT_THAT(text(12, 100), HasSubstr("46M parameters"))
      << "and the one under the cursor described";
  press(Code::escape);
  EXPECT_FALSE(screen_.done());
}

// That its draft model cannot be used, say.
TEST_F(PickersTest, WhatThereIsToSayOfAModelIsTold) {
  const std::string junk = name_draft_that_is_none();
  submit("/model");
  type("confab-demo");
  press(Code::enter);
  EXPECT_THAT(text(12, 200), HasSubstr("Switched to"));
  EXPECT_THAT(text(12, 200), HasSubstr("no draft model: " + junk));
  press(Code::escape);
  EXPECT_THAT(text(12, 200), Not(HasSubstr("no draft model")));
}

TEST_F(PickersTest, WhatThereIsToSayOfAModelThatHadToWaitIsTold) {
  const std::string junk = name_draft_that_is_none();
  submit("Hello?");
  submit("/model confab-demo");
  EXPECT_THAT(text(12, 200), HasSubstr("1 waiting"));
  answer("Yes.");
  EXPECT_THAT(text(12, 200), HasSubstr("no draft model: " + junk));
}

}  // namespace
}  // namespace confab::app
