// SPDX-License-Identifier: MIT
#include "app/chat/context_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::Not;

engine::ModelInfo model_of(int n_ctx, int n_ctx_train) {
  engine::ModelInfo model;
  model.n_ctx = n_ctx;
  model.n_ctx_train = n_ctx_train;
  return model;
}

TEST(ContextAdviceTest, NamesTheFlagOnlyWhereItCanHelp) {
  EXPECT_THAT(larger_context(model_of(8192, 32768)), HasSubstr("-c N (up to 32768)"));
  EXPECT_THAT(larger_context(model_of(1024, 1024)), Not(HasSubstr("-c")));
  EXPECT_THAT(larger_context(model_of(1024, 0)), Not(HasSubstr("-c"))) << "nothing is known of it";
}

TEST(ContextAdviceTest, AFullContextSaysWhatToDo) {
  const std::string text = context_full_text(model_of(8192, 32768));
  for (const char* part : {"8192", "/new", "/compact", "-c N"}) EXPECT_THAT(text, HasSubstr(part));
}

TEST(ContextAdviceTest, AFailureSaysWhatToDoWithWhatCame) {
  sessions::Message last;
  last.role = sessions::Role::user;
  last.content = "Hello?";
  EXPECT_EQ(failure_text("it broke", last), "it broke; /undo takes the question back");
  last.role = sessions::Role::assistant;
  EXPECT_EQ(failure_text("it broke", last), "it broke; /continue goes on with what came");
  last.content.clear();
  EXPECT_EQ(failure_text("it broke", last), "it broke; /undo takes the question back");
}

TEST(ContextAdviceTest, AQuestionThatIsTooLongSaysWhatToDo) {
  const std::string text = too_long_text("prompt: too long", model_of(8192, 32768));
  for (const char* part : {"prompt: too long", "/forget", "/compact", "-c N"})
    EXPECT_THAT(text, HasSubstr(part));
}

}  // namespace
}  // namespace confab::app
