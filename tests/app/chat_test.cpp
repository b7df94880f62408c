// SPDX-License-Identifier: MIT
#include "app/chat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/app/fake_model.h"

namespace confab::app {
namespace {

using engine::TextDelta;
using sessions::MessageState;
using sessions::Role;
using ::testing::HasSubstr;

class ChatTest : public ::testing::Test {
 protected:
  // One question and its answer.
  void exchange(Chat& chat, const std::string& question, const std::string& answer,
                std::vector<engine::Token> tokens) {
    chat.send(question);
    chat.take(TextDelta{answer, static_cast<int>(tokens.size())});
    chat.take(finished(std::move(tokens)));
  }
  FakeModel model_;
  sessions::Store store_ = sessions::Store::in_memory();
};

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

TEST_F(ChatTest, AStoreThatFailsLosesNoTextOnScreen) {
  Chat chat(model_, &store_, {});
  chat.send("Tell me.");
  chat.take(TextDelta{"All of it.", 3, {1, 2, 3}});
  store_.remove(*chat.conversation());  // as another program might
  chat.take(finished({1, 2, 3}));
  EXPECT_FALSE(chat.generating());
  EXPECT_EQ(chat.messages().back().content, "All of it.");
  EXPECT_THAT(chat.take_error(), HasSubstr("not saved"));
  EXPECT_EQ(chat.take_error(), "");
  exchange(chat, "And then?", "The end.", {4});  // the chat goes on; it is told once
  EXPECT_EQ(model_.requests.back().turns.size(), 3U);
  EXPECT_EQ(chat.take_error(), "");
}

TEST_F(ChatTest, WhatIsAttachedIsKeptApartAndPutIntoThePrompt) {
  Chat chat(model_, &store_, {});
  chat.send("Why?", {sessions::make_attachment("a.md", "Because.")});
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
  EXPECT_EQ(model_.preparations.back().now, created);
  EXPECT_EQ(model_.preparations.back().draft, "Thr");
  resumed.send("Three?");
  ASSERT_EQ(model_.requests.size(), 3U);
  for (const auto& request : model_.requests) {
    EXPECT_EQ(request.now, created);
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

TEST_F(ChatTest, AnotherAnswerIsASibling) {
  Chat chat(model_, &store_, {});
  exchange(chat, "One?", "First.", {1});
  chat.retry();
  chat.take(TextDelta{"Other.", 1});
  chat.take(finished({2}));
  const auto tree = store_.tree(*chat.conversation());
  ASSERT_EQ(tree.messages.size(), 3U);
  EXPECT_EQ(tree.messages[1].content, "First.");
  EXPECT_EQ(tree.messages[2].parent, tree.messages[0].id);
  EXPECT_EQ(tree.conversation.head, tree.messages[2].id);
  EXPECT_EQ(chat.take_notice(), "");
  EXPECT_EQ(chat.messages().size(), 2U);
}

TEST_F(ChatTest, AnEditedQuestionIsASiblingWithTheSameFiles) {
  ChatOptions options;
  options.system = "Be brief.";
  Chat chat(model_, &store_, options);
  chat.send("Why?", {sessions::make_attachment("a.md", "text")});
  chat.take(TextDelta{"Hm.", 1});
  chat.take(finished({1}));
  chat.edit("Who?");
  const auto tree = store_.tree(*chat.conversation());
  ASSERT_EQ(tree.messages.size(), 5U);
  EXPECT_EQ(tree.messages[3].content, "Who?");
  EXPECT_EQ(tree.messages[3].parent, tree.messages[1].parent);
  EXPECT_EQ(tree.messages[3].attachments, tree.messages[1].attachments);
  EXPECT_EQ(model_.requests.back().turns.size(), 2U);
}

// The model tells the answer from its beginning; the sibling has it whole.
TEST_F(ChatTest, AnAnswerThatWasStoppedGoesOn) {
  Chat chat(model_, &store_, {});
  chat.send("Tell me.");
  chat.take(engine::ReasoningDelta{"Hm.", 1, {5}});
  chat.take(TextDelta{"Once upon", 3, {6, 7}});
  engine::Finished cut = finished({5, 6, 7}, engine::FinishReason::length);
  cut.answer_begin = 1;
  chat.take(cut);
  EXPECT_THAT(chat.unfinished_note(), HasSubstr("/continue"));

  Chat resumed(model_, &store_, {});
  resumed.open(*store_.latest_conversation());
  EXPECT_THAT(resumed.unfinished_note(), HasSubstr("/continue"));
  resumed.continue_answer();
  const auto& request = model_.requests.back();
  EXPECT_TRUE(request.continues);
  ASSERT_EQ(request.turns.size(), 2U);
  EXPECT_EQ(request.turns[1].message.content, "Once upon");
  EXPECT_EQ(request.turns[1].message.reasoning, "Hm.");
  EXPECT_EQ(request.turns[1].tokens, (std::vector<engine::Token>{5, 6, 7}));
  EXPECT_EQ(request.turns[1].answer_begin, 1);
  EXPECT_EQ(store_.messages(*resumed.conversation())[1].content, "Once upon");  // at once

  resumed.take(engine::ReasoningDelta{"Hm.", 1, {5}});
  resumed.take(TextDelta{"Once upon", 3, {6, 7}});
  resumed.take(engine::PrefillProgress{.n_done = 13, .n_prompt = 13, .n_cached = 12});
  resumed.take(TextDelta{" a time.", 4, {8}});
  EXPECT_EQ(resumed.n_ctx_used(), 14);
  engine::Finished end = finished({5, 6, 7, 8});
  end.answer_begin = 1;
  resumed.take(end);
  EXPECT_EQ(resumed.unfinished_note(), "");
  EXPECT_THROW(resumed.continue_answer(), UserError);  // it is complete now
  const auto tree = store_.tree(*resumed.conversation());
  ASSERT_EQ(tree.messages.size(), 3U);
  EXPECT_EQ(tree.messages[1].content, "Once upon");
  EXPECT_EQ(tree.messages[1].state, MessageState::stopped);
  EXPECT_EQ(tree.messages[2].parent, tree.messages[0].id);
  EXPECT_EQ(tree.messages[2].content, "Once upon a time.");
  EXPECT_EQ(tree.messages[2].reasoning, "Hm.");
  EXPECT_EQ(tree.messages[2].tokens, (std::vector<std::int32_t>{5, 6, 7, 8}));
}

TEST_F(ChatTest, GoingOnThatFailsKeepsWhatThereWas) {
  Chat chat(model_, &store_, {});
  chat.send("Tell me.");
  chat.take(TextDelta{"Once upon", 2, {6, 7}});
  chat.take(finished({6, 7}, engine::FinishReason::cancelled));
  chat.continue_answer();
  chat.take(engine::Failed{"the context is full"});
  EXPECT_EQ(chat.messages().back().content, "Once upon");
  chat.continue_answer();
  chat.take(TextDelta{"Once", 1, {6}});
  chat.take(finished({6}, engine::FinishReason::cancelled));
  EXPECT_EQ(chat.messages().back().content, "Once upon");
  const auto saved = store_.messages(*chat.conversation());
  EXPECT_EQ(saved.back().content, "Once upon");
  EXPECT_EQ(saved.back().tokens, (std::vector<std::int32_t>{6, 7}));
}

// As kill -9 leaves it: a draft with some text, or none.
TEST_F(ChatTest, ADraftWhoseWriterDiedGoesOnOrIsAnsweredAnew) {
  {
    Chat dead(model_, &store_, {});
    dead.send("Tell me.");
  }
  Chat empty(model_, &store_, {});
  empty.open(*store_.latest_conversation());
  EXPECT_THAT(empty.unfinished_note(), HasSubstr("no answer yet"));
  empty.continue_answer();
  EXPECT_FALSE(model_.requests.back().continues);
  EXPECT_EQ(model_.requests.back().turns.size(), 1U);
  store_.update_draft(store_.messages(*empty.conversation()).back().id, {"Once upon"});

  Chat begun(model_, &store_, {});
  begun.open(*store_.latest_conversation());
  EXPECT_THAT(begun.unfinished_note(), HasSubstr("cut off"));
  begun.continue_answer();
  EXPECT_TRUE(model_.requests.back().continues);
  EXPECT_TRUE(model_.requests.back().turns.back().tokens.empty());  // not known: tokenised
}

// Version 2 kept the tokens of an answer without those of its reasoning.
TEST_F(ChatTest, TokensWithoutTheirReasoningAreNotContinued) {
  const sessions::NewMessage question{.role = Role::user, .content = "Tell me."};
  const sessions::NewMessage answer{.role = Role::assistant,
                                    .content = "Once",
                                    .state = MessageState::stopped,
                                    .tokens = {6},
                                    .tokenizer_hash = "hash-1",
                                    .reasoning = "Hm."};
  store_.create_conversation({{question, answer}});
  Chat chat(model_, &store_, {});
  chat.open(*store_.latest_conversation());
  chat.continue_answer();
  EXPECT_TRUE(model_.requests.back().turns.back().tokens.empty());
  EXPECT_EQ(model_.requests.back().turns.back().message.reasoning, "Hm.");
}

TEST_F(ChatTest, BothProgramsAreToldOfEachOther) {
  Chat one(model_, &store_, {});
  exchange(one, "Hello?", "Hi.", {1});
  Chat two(model_, &store_, {});
  two.open(*store_.latest_conversation());
  exchange(one, "From one.", "A.", {2});
  EXPECT_EQ(one.take_notice(), "");
  two.send("From two.");
  EXPECT_THAT(two.take_notice(), HasSubstr("/branches"));  // at once
  EXPECT_EQ(two.take_notice(), "");
  two.take(TextDelta{"B.", 1});
  two.take(finished({3}));
  one.send("More from one.");
  EXPECT_THAT(one.take_notice(), HasSubstr("Another program"));
  one.take(TextDelta{"C.", 1});
  one.take(finished({4}));
  EXPECT_EQ(one.messages().size(), 6U);
  EXPECT_EQ(two.messages().size(), 4U);
  EXPECT_EQ(store_.conversation(*one.conversation())->n_messages, 8);
  EXPECT_EQ(store_.messages(*one.conversation()).size(), 6U);
}

TEST_F(ChatTest, AConversationThatIsNotSavedIsABranchAllTheSame) {
  ChatOptions options;
  options.system = "Be brief.";
  Chat chat(model_, nullptr, options);
  exchange(chat, "One?", "First.", {1});
  const auto tree = chat.branch();
  ASSERT_EQ(tree.messages.size(), 3U);
  EXPECT_EQ(tree.messages[2].parent, tree.messages[1].id);
  EXPECT_EQ(tree.conversation.head, tree.messages[2].id);
  EXPECT_EQ(store_.insert({{tree}}).size(), 1U);
  EXPECT_EQ(store_.list()[0].title, "One?");
}

}  // namespace
}  // namespace confab::app
