// SPDX-License-Identifier: MIT
// Templates and routing as somebody at the screen meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Code = ui::Key::Code;

ChatOptions with_route(const std::string& route) {
  ChatOptions options;
  options.route = route;
  return options;
}

class RoutingTest : public ScreenFixture {
 protected:
  std::string shown() { return text(24, 90); }
};

class RoutingByModelTest : public ScreenFixture {
 protected:
  RoutingByModelTest() : ScreenFixture(with_route("auto")) {}
  std::string shown() { return text(24, 90); }
  engine::Scored scored(std::size_t of_class) {
    engine::Scored scored;
    for (std::size_t i = 0; i < 12; ++i)
      scored.options.push_back({.log_p = i == 2 * of_class ? -0.1 : -9});
    return scored;
  }
};

TEST_F(RoutingTest, WhatATemplateChangesIsToldWhileTheAnswerIsWritten) {
  submit("Write it in Python");
  EXPECT_FLOAT_EQ(model().requests.back().sampling.temperature, 0.3F);
  EXPECT_THAT(shown(), HasSubstr("asked as code, since it says \"python\": temperature 0.3"));
}

TEST_F(RoutingTest, TheListOfCommandsHasTheTemplates) {
  type("/rev");
  EXPECT_THAT(shown(), HasSubstr("/review [focus=...] [TEXT]"));
  press(Code::enter);  // it has to be written
  EXPECT_THAT(model().requests, IsEmpty());
  EXPECT_THAT(shown(), HasSubstr("› /review [focus=...] [TEXT] · a review of code"));
  type("x = 1");
  press(Code::enter);
  EXPECT_THAT(shown(), HasSubstr("› Review this."));
  EXPECT_THAT(model().requests.back().turns.back().message.content, HasSubstr("x = 1"));
}

TEST_F(RoutingTest, ATemplateThatIsCalledMeanwhileWaits) {
  submit("Hello");
  submit("/translate German Good morning.");
  EXPECT_THAT(shown(), HasSubstr("waiting: /translate German"));
  answer("Hi.");
  EXPECT_THAT(model().requests.back().turns.back().message.content, HasSubstr("into German."));
}

TEST_F(RoutingByModelTest, InDoubtAQuestionIsShownAndWaitsForTheModel) {
  submit("xyzzy");
  EXPECT_THAT(model().requests, IsEmpty());
  ASSERT_EQ(model().scorings.size(), 1U);
  EXPECT_THAT(shown(), HasSubstr("⋯ xyzzy"));
  submit("Hello");  // what is asked meanwhile comes after it
  say(scored(0));
  ASSERT_EQ(model().requests.size(), 1U);
  EXPECT_FLOAT_EQ(model().requests.back().sampling.temperature, 0.3F);
  EXPECT_THAT(shown(), HasSubstr("› xyzzy"));
  EXPECT_THAT(shown(), Not(HasSubstr("⋯ xyzzy")));
  answer("Done.");
  EXPECT_EQ(model().requests.back().turns.back().message.content, "Hello");
}

TEST_F(RoutingByModelTest, WhoDoesNotWaitHasItAskedAsItIs) {
  submit("xyzzy");
  control('c');
  EXPECT_EQ(model().n_cancelled, 1);
  say(finished({}, engine::FinishReason::cancelled));
  ASSERT_EQ(model().requests.size(), 1U);
  EXPECT_FLOAT_EQ(model().requests.back().sampling.temperature, 0.8F);
}

}  // namespace
}  // namespace confab::app
