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

TEST_F(ChatStateTest, WhatWouldBeAskedIsWhatIsAsked) {
  ChatOptions options;
  options.system = "Be brief.";
  options.n_predict = 9;
  Chat chat(model_, nullptr, options);
  exchange(chat, "One?", "First.", {1});
  Question question("Two?", {sessions::make_attachment("a.md", "alpha")});
  question.options = options;
  question.options->reasoning_budget = 5;
  const engine::GenerateRequest would = chat.request_with(question);
  EXPECT_EQ(chat.messages().size(), 2U) << "nothing has been said";
  chat.send(question);
  const engine::GenerateRequest& asked = model_.requests.back();
  ASSERT_EQ(would.turns.size(), asked.turns.size());
  for (std::size_t i = 0; i < asked.turns.size(); ++i)
    EXPECT_EQ(would.turns[i].message.content, asked.turns[i].message.content);
  EXPECT_EQ(would.n_predict, 9);
  EXPECT_EQ(would.reasoning_budget, 5);
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
