// SPDX-License-Identifier: MIT
#include "app/chat/chat_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/chat/chat_fixture.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;

using ChatStateTest = ChatTest;

TEST_F(ChatStateTest, ThePromptIsWhatTheTemplateMakes) {
  ChatOptions options;
  options.system = "Be brief.";
  Chat chat(model_, nullptr, options);
  exchange(chat, "One?", "First.", {1});
  EXPECT_EQ(chat.prompt_text(), "<system>Be brief.<user>One?<assistant>First.");
}

TEST_F(ChatStateTest, SaysWhatIsUnfinished) {
  Chat chat(model_, &store_, {});
  EXPECT_EQ(chat.unfinished_note(), "");
  chat.send("One?");
  EXPECT_EQ(chat.unfinished_note(), "");  // it is coming
  chat.take(engine::Failed{"broken"});
  EXPECT_THAT(chat.unfinished_note(), HasSubstr("no answer yet"));
  chat.retry();
  chat.take(engine::TextDelta{"Fir", 1, {1}});
  chat.take(finished({1}, engine::FinishReason::cancelled));
  EXPECT_THAT(chat.unfinished_note(), HasSubstr("was stopped"));
  chat.retry();
  chat.take(engine::TextDelta{"First.", 1, {1}});
  chat.take(finished({1}));
  EXPECT_EQ(chat.unfinished_note(), "");
}

}  // namespace
}  // namespace confab::app
