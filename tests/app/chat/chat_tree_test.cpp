// SPDX-License-Identifier: MIT
// Siblings, branches, and answers that go on.
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

using ChatTreeTest = ChatTest;

TEST_F(ChatTreeTest, AnotherAnswerIsASibling) {
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

TEST_F(ChatTreeTest, AnEditedQuestionIsASiblingWithTheSameFiles) {
  ChatOptions options;
  options.system = "Be brief.";
  Chat chat(model_, &store_, options);
  chat.send({"Why?", {sessions::make_attachment("a.md", "text")}});
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
TEST_F(ChatTreeTest, AnAnswerThatWasStoppedGoesOn) {
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

TEST_F(ChatTreeTest, GoingOnThatFailsKeepsWhatThereWas) {
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
TEST_F(ChatTreeTest, ADraftWhoseWriterDiedGoesOnOrIsAnsweredAnew) {
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
TEST_F(ChatTreeTest, TokensWithoutTheirReasoningAreNotContinued) {
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

TEST_F(ChatTreeTest, BothProgramsAreToldOfEachOther) {
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

TEST_F(ChatTreeTest, AConversationThatIsNotSavedIsABranchAllTheSame) {
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
