// SPDX-License-Identifier: MIT
#include "app/chat/chat_state.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

using Tokens = std::vector<std::int32_t>;

sessions::Message answer(const std::string& content) {
  sessions::Message message;
  message.role = sessions::Role::assistant;
  message.content = content;
  return message;
}

TEST(AnswerDraftTest, GrowsByReasoningAndText) {
  AnswerDraft draft;
  sessions::Message message = answer("");
  draft.take(engine::PrefillProgress{.n_done = 6, .n_prompt = 10, .n_cached = 0});
  EXPECT_FALSE(draft.n_ctx_used());
  draft.take(engine::ReasoningDelta{"Hm. ", 1, {5}}, message);
  EXPECT_EQ(message.answer_begin, -1);
  draft.take(engine::TextDelta{"Yes.", 3, {6, 7}}, message);
  EXPECT_EQ(message.reasoning, "Hm. ");
  EXPECT_EQ(message.content, "Yes.");
  EXPECT_EQ(message.tokens, (Tokens{5, 6, 7}));
  EXPECT_EQ(draft.n_ctx_used(), 13);
}

TEST(AnswerDraftTest, WhatIsToldAgainIsCountedOnce) {
  AnswerDraft draft(answer("Once upon"));
  sessions::Message message = answer("Once upon");
  draft.take(engine::TextDelta{"Once", 1, {1}}, message);
  EXPECT_EQ(message.content, "Once");
  EXPECT_FALSE(draft.has_grown(message));
  EXPECT_FALSE(draft.n_ctx_used());
  draft.take(engine::TextDelta{" upon", 2, {2}}, message);
  EXPECT_TRUE(draft.has_grown(message));
  draft.take(engine::PrefillProgress{.n_done = 12, .n_prompt = 12, .n_cached = 0});
  draft.take(engine::TextDelta{" a time", 3, {3}}, message);
  EXPECT_EQ(draft.n_ctx_used(), 13);
  EXPECT_EQ(message.content, "Once upon a time");
}

TEST(AnswerDraftTest, WhatThereWasIsNotLost) {
  sessions::Message begun = answer("Once upon");
  begun.tokens = {1, 2};
  AnswerDraft draft(begun);
  sessions::Message message = answer("Once upon");
  draft.take(engine::TextDelta{"Once", 1, {1}}, message);
  draft.end(message);
  EXPECT_EQ(message.content, "Once upon");
  EXPECT_EQ(message.tokens, (Tokens{1, 2}));
}

}  // namespace
}  // namespace confab::app
