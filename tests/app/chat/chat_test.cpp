// SPDX-License-Identifier: MIT
#include "app/chat/chat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/app/chat/chat_fixture.h"

namespace confab::app {
namespace {

using engine::TextDelta;
using sessions::MessageState;
using sessions::Role;
using ::testing::HasSubstr;

TEST_F(ChatTest, AQuestionIsSavedBeforeTheModelIsAsked) {
  Chat chat(model_, &store_, {});
  EXPECT_FALSE(chat.conversation());
  chat.send("Hello?");
  ASSERT_TRUE(chat.conversation());
  const auto saved = store_.messages(*chat.conversation());
  ASSERT_EQ(saved.size(), 2U);
  EXPECT_EQ(saved[0].content, "Hello?");
  EXPECT_EQ(saved[0].state, MessageState::done);
  EXPECT_EQ(saved[1].role, Role::assistant);
  EXPECT_EQ(saved[1].state, MessageState::draft);
  EXPECT_EQ(saved[1].model, "fake");
  ASSERT_EQ(model_.requests.size(), 1U);
  ASSERT_EQ(model_.requests[0].turns.size(), 1U);
  EXPECT_EQ(model_.requests[0].turns[0].message.content, "Hello?");
  EXPECT_TRUE(chat.generating());
}

TEST_F(ChatTest, AnAnswerIsSavedWithTokensAndFigures) {
  Chat chat(model_, &store_, {});
  exchange(chat, "Hello?", "Hi there.", {5, 6, 7});
  EXPECT_FALSE(chat.generating());
  const auto saved = store_.messages(*chat.conversation());
  ASSERT_EQ(saved.size(), 2U);
  EXPECT_EQ(saved[1].content, "Hi there.");
  EXPECT_EQ(saved[1].state, MessageState::done);
  EXPECT_EQ(saved[1].tokens, (std::vector<std::int32_t>{5, 6, 7}));
  EXPECT_EQ(saved[1].tokenizer_hash, "hash-1");
  ASSERT_TRUE(saved[1].stats);
  EXPECT_EQ(saved[1].stats->n_cached, 4);
  ASSERT_TRUE(chat.last());
  EXPECT_EQ(chat.n_ctx_used(), 13);
}

TEST_F(ChatTest, TheContextFillsWhileTheAnswerStreams) {
  Chat chat(model_, &store_, {});
  chat.send("Hello?");
  chat.take(engine::PrefillProgress{.n_done = 6, .n_prompt = 10, .n_cached = 4});
  EXPECT_EQ(chat.n_ctx_used(), 6);
  chat.take(TextDelta{"Hi", 2});
  EXPECT_EQ(chat.n_ctx_used(), 12);
  chat.take(finished({5, 6, 7}));
  EXPECT_EQ(chat.n_ctx_used(), 13);
}

TEST_F(ChatTest, TheNextQuestionCarriesTheConversationAndItsTokens) {
  ChatOptions options;
  options.system = "Be brief.";
  Chat chat(model_, &store_, options);
  exchange(chat, "One?", "First.", {1, 2});
  chat.send("Two?");
  const auto& turns = model_.requests.back().turns;
  ASSERT_EQ(turns.size(), 4U);
  EXPECT_EQ(turns[0].message.role, "system");
  EXPECT_EQ(turns[1].message.content, "One?");
  EXPECT_EQ(turns[2].message.content, "First.");
  EXPECT_EQ(turns[2].tokens, (std::vector<engine::Token>{1, 2}));
  EXPECT_EQ(turns[3].message.content, "Two?");
}

TEST_F(ChatTest, AQuestionMayHaveOptionsOfItsOwn) {
  Chat chat(model_, &store_, {});
  AnswerOptions options;
  options.sampling.temperature = 0;
  options.n_predict = 7;
  options.thinking = false;
  const Question question("One?", {}, options);
  chat.prepare(question);
  EXPECT_EQ(model_.preparations.back().settings.thinking, false);
  chat.send(question);
  EXPECT_EQ(model_.requests.back().sampling.temperature, 0);
  EXPECT_EQ(model_.requests.back().n_predict, 7);
  EXPECT_EQ(model_.requests.back().settings.thinking, false);
  chat.take(finished({1}));
  chat.send("Two?");
  EXPECT_EQ(model_.requests.back().n_predict, -1);
  EXPECT_FALSE(model_.requests.back().settings.thinking);
}

TEST_F(ChatTest, WhatNobodyHasSetIsAsTheModelRecommends) {
  model_.change_info().sampling = {{"temp", 0.25}, {"top_p", 0.5}, {"min_p", 7}, {"other", 1}};
  ChatOptions options;
  ASSERT_EQ(set_parameter(*find_set_parameter("top_p"), options, "0.75", Origin::config), "");
  Chat chat(model_, &store_, options);
  chat.send("One?");
  EXPECT_EQ(model_.requests.back().sampling.temperature, 0.25F);
  EXPECT_EQ(model_.requests.back().sampling.top_p, 0.75F);
  EXPECT_EQ(model_.requests.back().sampling.min_p, engine::SamplerParams().min_p);  // 7: no share
  chat.take(finished({1}));
  FakeModel other;
  chat.use_model(other);
  EXPECT_EQ(chat.options().sampling.temperature, engine::SamplerParams().temperature);
  EXPECT_EQ(chat.options().sampling.top_p, 0.75F);
}

TEST_F(ChatTest, AReopenedConversationGoesOnWhereItWas) {
  sessions::ConversationId id{};
  {
    ChatOptions options;
    options.system = "Be brief.";
    Chat chat(model_, &store_, options);
    exchange(chat, "One?", "First.", {1, 2});
    id = *chat.conversation();
  }
  Chat chat(model_, &store_, {});
  chat.open(*store_.conversation(id));
  ASSERT_EQ(chat.messages().size(), 2U);  // the system prompt is not shown
  EXPECT_EQ(chat.n_ctx_used(), 3);        // as the model counts: of all turns, it included
  chat.send("Two?");
  const auto& turns = model_.requests.back().turns;
  ASSERT_EQ(turns.size(), 4U);
  EXPECT_EQ(turns[0].message.content, "Be brief.");
  EXPECT_EQ(turns[2].tokens, (std::vector<engine::Token>{1, 2}));
  EXPECT_EQ(store_.list().size(), 1U);
}

TEST_F(ChatTest, TokensOfAnotherTokenizerAreNotUsed) {
  Chat first(model_, &store_, {});
  exchange(first, "One?", "First.", {1, 2});
  model_.set_tokenizer_hash("hash-2");
  Chat chat(model_, &store_, {});
  chat.open(*store_.latest_conversation());
  chat.send("Two?");
  EXPECT_TRUE(model_.requests.back().turns[1].tokens.empty());
  EXPECT_EQ(model_.requests.back().turns[1].message.content, "First.");
}

TEST_F(ChatTest, AnAnswerThatWasStoppedKeepsWhatThereIs) {
  Chat chat(model_, &store_, {});
  chat.send("Tell me.");
  chat.take(TextDelta{"Once upon", 2});
  chat.stop();
  EXPECT_EQ(model_.n_cancelled, 1);
  chat.take(finished({8, 9}, engine::FinishReason::cancelled));
  const auto saved = store_.messages(*chat.conversation());
  EXPECT_EQ(saved[1].content, "Once upon");
  EXPECT_EQ(saved[1].state, MessageState::stopped);
  chat.stop();  // nothing runs: nothing is cancelled
  EXPECT_EQ(model_.n_cancelled, 1);
}

TEST_F(ChatTest, ReasoningIsKeptApartAndGivenBackToTheModel) {
  Chat chat(model_, &store_, {});
  chat.send("One?");
  chat.take(engine::ReasoningDelta{"Let me ", 2});
  chat.take(engine::ReasoningDelta{"think.", 3});
  chat.take(TextDelta{"First.", 6});
  EXPECT_EQ(chat.n_ctx_used(), 6);
  chat.take(finished({1, 2}));
  const auto saved = store_.messages(*chat.conversation());
  EXPECT_EQ(saved[1].content, "First.");
  EXPECT_EQ(saved[1].reasoning, "Let me think.");
  Chat resumed(model_, &store_, {});
  resumed.open(*store_.latest_conversation());
  resumed.send("Two?");
  EXPECT_EQ(model_.requests.back().turns[1].message.content, "First.");
  EXPECT_EQ(model_.requests.back().turns[1].message.reasoning, "Let me think.");
}

TEST_F(ChatTest, AnAnswerThatNeverCameIsLeftOutAndQuestionsJoin) {
  Chat chat(model_, &store_, {});
  chat.send("One?");
  chat.take(engine::Failed{"the prompt is too long"});
  EXPECT_FALSE(chat.generating());
  EXPECT_EQ(store_.messages(*chat.conversation())[1].state, MessageState::error);
  chat.send("Two?");
  const auto& turns = model_.requests.back().turns;
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0].message.content, "One?\n\nTwo?");
}

TEST_F(ChatTest, WithoutAStoreNothingIsKeptAndAllWorks) {
  Chat chat(model_, nullptr, {});
  exchange(chat, "One?", "First.", {1});
  exchange(chat, "Two?", "Second.", {2});
  EXPECT_FALSE(chat.conversation());
  EXPECT_EQ(chat.messages().size(), 4U);
}

TEST_F(ChatTest, ANewConversationForgetsTheOldOne) {
  Chat chat(model_, &store_, {});
  exchange(chat, "One?", "First.", {1});
  chat.start_new();
  EXPECT_TRUE(chat.messages().empty());
  exchange(chat, "Two?", "Second.", {2});
  EXPECT_EQ(model_.requests.back().turns.size(), 1U);
  EXPECT_EQ(store_.list().size(), 2U);
}

// As another program might do it.
TEST_F(ChatTest, AConversationThatIsDeletedIsSavedAgain) {
  Chat chat(model_, &store_, {});
  chat.send("Tell me.");
  chat.take(TextDelta{"All of it.", 3, {1, 2, 3}});
  store_.remove(*chat.conversation());
  chat.take(finished({1, 2, 3}));
  EXPECT_EQ(chat.messages().back().content, "All of it.");
  EXPECT_EQ(chat.take_error(), "");
  EXPECT_THAT(chat.take_notice(), HasSubstr("saved again"));
  EXPECT_EQ(store_.messages(*chat.conversation()).size(), 2U);
  store_.remove(*chat.conversation());
  exchange(chat, "And then?", "The end.", {4});
  EXPECT_EQ(model_.requests.back().turns.size(), 3U);
  EXPECT_EQ(store_.messages(*chat.conversation()).size(), 4U);
  EXPECT_FALSE(chat.has_unsaved());
}

TEST_F(ChatTest, WhatIsAttachedIsKeptApartAndPutIntoThePrompt) {
  Chat chat(model_, &store_, {});
  chat.send({"Why?", {sessions::make_attachment("a.md", "Because.")}});
  const auto saved = store_.messages(*chat.conversation());
  EXPECT_EQ(saved[0].content, "Why?");
  EXPECT_EQ(saved[0].attachments[0].content, "Because.");
  const std::string prompt = model_.requests.back().turns[0].message.content;
  EXPECT_EQ(prompt, "a.md:\n```\nBecause.\n```\n\nWhy?");
  chat.take(TextDelta{"Well.", 1});
  chat.take(finished({1}));
  Chat resumed(model_, &store_, {});
  resumed.open(*store_.latest_conversation());
  resumed.send("And?");
  EXPECT_EQ(model_.requests.back().turns[0].message.content, prompt);
}

TEST_F(ChatTest, EveryRequestHasTheConversationsTimeAndNumber) {
  Chat chat(model_, &store_, {});
  exchange(chat, "One?", "First.", {1});
  const auto id = *chat.conversation();
  const auto created = std::chrono::floor<std::chrono::seconds>(store_.conversation(id)->created);
  chat.send("Two?");
  chat.take(finished({1}));
  Chat resumed(model_, &store_, {});
  resumed.open(*store_.conversation(id));
  resumed.prepare("Thr");
  EXPECT_EQ(model_.preparations.back().settings.now, created);
  EXPECT_EQ(model_.preparations.back().draft, "Thr");
  resumed.send("Three?");
  ASSERT_EQ(model_.requests.size(), 3U);
  for (const auto& request : model_.requests) {
    EXPECT_EQ(request.settings.now, created);
    EXPECT_EQ(request.origin, static_cast<std::int64_t>(id));
  }
}

TEST_F(ChatTest, WhatCannotFitIsNotCounted) {
  std::vector<sessions::NewMessage> many(100, {.role = Role::user, .content = ""});
  for (auto& message : many) message.content = std::string(1000, 'a');
  store_.create_conversation(many);
  Chat chat(model_, &store_, {});
  chat.open(*store_.latest_conversation());
  EXPECT_EQ(chat.n_ctx_used(), model_.info().n_ctx);
  chat.prepare("draft");
  EXPECT_TRUE(model_.preparations.empty());
}

TEST_F(ChatTest, WhatIsAttachedIsReadAhead) {
  Chat chat(model_, &store_, {});
  const Question draft("Why", {sessions::make_attachment("a.md", "Because.")});
  chat.prepare(draft);
  EXPECT_EQ(model_.preparations.back().draft, prompt_of(draft));
}

TEST_F(ChatTest, AQuestionThatDoesNotFitIsTakenBack) {
  Chat chat(model_, &store_, {});
  exchange(chat, "One?", "First.", {1, 2});
  const Question question("Long?", {sessions::make_attachment("a.md", "very")});
  chat.send(question);
  const Outcome outcome = chat.take(engine::Failed{"too long", true});
  EXPECT_EQ(outcome.refused, question);
  EXPECT_FALSE(chat.generating());
  EXPECT_EQ(chat.messages().size(), 2U);
  EXPECT_EQ(chat.unfinished_note(), "");
  EXPECT_EQ(chat.n_ctx_used(), 12);
  ASSERT_TRUE(chat.last());
  EXPECT_EQ(store_.messages(*chat.conversation()).back().content, "First.");
  exchange(chat, "Two?", "Second.", {3});
  ASSERT_EQ(model_.requests.back().turns.size(), 3U);
  EXPECT_EQ(model_.requests.back().turns[2].message.content, "Two?");
}

TEST_F(ChatTest, AConversationThatBeginsWithAQuestionThatDoesNotFitIsNone) {
  Chat chat(model_, &store_, {});
  chat.send("Long?");
  EXPECT_EQ(chat.take(engine::Failed{"too long", true}).refused, Question("Long?"));
  EXPECT_TRUE(chat.messages().empty());
  EXPECT_FALSE(chat.conversation());
  EXPECT_TRUE(store_.list().empty());
}

TEST_F(ChatTest, AnotherAnswerThatDoesNotFitLeavesTheOneThereIs) {
  Chat chat(model_, &store_, {});
  exchange(chat, "One?", "First.", {1});
  chat.retry();
  EXPECT_FALSE(chat.take(engine::Failed{"too long", true}).refused);
  EXPECT_EQ(chat.messages().back().content, "First.");
  chat.edit("Longer?");
  EXPECT_EQ(chat.take(engine::Failed{"too long", true}).refused, Question("Longer?"));
  EXPECT_EQ(chat.messages()[0].content, "One?");
  EXPECT_EQ(store_.messages(*chat.conversation()).back().content, "First.");
}

TEST_F(ChatTest, ASystemPromptCanBeTakenAway) {
  ChatOptions options;
  options.system = "Be brief.";
  Chat chat(model_, &store_, options);
  exchange(chat, "One?", "First.", {1});
  chat.set_system("");
  EXPECT_EQ(chat.system(), "");
  chat.send("Two?");
  EXPECT_EQ(model_.requests.back().turns.front().message.role, "user");
}

TEST_F(ChatTest, AModelsOwnSystemPromptHoldsUntilSomebodyHasAnother) {
  model_.change_info().system = "You are Mario.";
  Chat chat(model_, &store_, {});
  EXPECT_EQ(chat.system(), "You are Mario.");
  FakeModel plain;
  chat.use_model(plain);
  EXPECT_EQ(chat.system(), "");
  chat.use_model(model_);
  EXPECT_EQ(chat.system(), "You are Mario.");
  chat.set_system("");
  chat.start_new();
  EXPECT_EQ(chat.system(), "");
  ChatOptions options;
  options.system = "Be brief.";
  EXPECT_EQ(Chat(model_, &store_, options).system(), "Be brief.");
}

TEST_F(ChatTest, AConversationKeepsItsPromptUnderAnotherModel) {
  model_.change_info().system = "You are Mario.";
  Chat chat(model_, &store_, {});
  exchange(chat, "One?", "First.", {1});
  FakeModel plain;
  chat.use_model(plain);
  EXPECT_EQ(chat.system(), "You are Mario.");
  EXPECT_EQ(chat.messages().size(), 2U);
}

TEST_F(ChatTest, AModelsOwnStopTextsEndAnswers) {
  model_.change_info().stop = {"<end>"};
  Chat chat(model_, &store_, {});
  chat.send("One?");
  EXPECT_EQ(model_.requests.back().stop, std::vector<std::string>{"<end>"});
  EXPECT_TRUE(chat.set_options().stop.empty());
}

TEST_F(ChatTest, AConversationWithAnotherModelSaysSo) {
  Chat first(model_, &store_, {});
  exchange(first, "One?", "First.", {1});
  model_.change_info().name = "other";
  Chat chat(model_, &store_, {});
  chat.open(*store_.latest_conversation());
  const std::string notice = chat.take_notice();
  EXPECT_THAT(notice, HasSubstr("This conversation used fake"));
  EXPECT_THAT(notice, HasSubstr("it continues with other"));
  EXPECT_THAT(notice, HasSubstr("/model"));
  chat.open(*store_.latest_conversation());  // as for another branch
  EXPECT_EQ(chat.take_notice(), "");
}

}  // namespace
}  // namespace confab::app
