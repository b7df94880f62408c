// SPDX-License-Identifier: MIT
#include "sessions/conversations/store.h"

#include <gmock/gmock.h>

#include "sessions/error.h"
#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

using testing::ElementsAre;

NewMessage user(std::string content) {
  return {.role = Role::user, .content = std::move(content)};
}

NewMessage draft() {
  return {.role = Role::assistant, .content = "", .state = MessageState::draft};
}

std::vector<std::string> contents(const std::vector<Message>& messages) {
  std::vector<std::string> out;
  for (const Message& m : messages) out.push_back(m.content);
  return out;
}

std::vector<std::string> titles(const std::vector<Conversation>& conversations) {
  std::vector<std::string> out;
  for (const Conversation& c : conversations) out.push_back(c.title);
  return out;
}

TEST(StoreTest, AMessageComesBackAsItWas) {
  const TempDir dir;
  NewMessage in{.role = Role::assistant,
                .content = std::string("nul \0, no UTF-8 \xff, and é", 26),
                .state = MessageState::stopped,
                .tokens = {1, 300, 151643},
                .tokenizer_hash = "abc123",
                .model = "/models/x.gguf",
                .sampler_json = R"({"temp":0.8})",
                .attachments = {{"a.md", 20480, "00ff"}, make_attachment("b\xff.md", "text")}};
  const auto before = std::chrono::system_clock::now();
  const Appended made = Store(dir / "x.db").create_conversation({{user("hi"), in}}, "Title");
  Store store(dir / "x.db");
  const auto messages = store.messages(made.conversation);
  ASSERT_EQ(messages.size(), 2u);
  const Message& out = messages[1];
  EXPECT_EQ(out.id, made.message);
  EXPECT_EQ(out.conversation, made.conversation);
  EXPECT_EQ(out.parent, messages[0].id);
  EXPECT_EQ(out.role, in.role);
  EXPECT_EQ(out.content, in.content);
  EXPECT_EQ(out.state, in.state);
  EXPECT_EQ(out.tokens, in.tokens);
  EXPECT_EQ(out.tokenizer_hash, in.tokenizer_hash);
  EXPECT_EQ(out.model, in.model);
  EXPECT_EQ(out.sampler_json, in.sampler_json);
  ASSERT_EQ(out.attachments.size(), 2u);
  EXPECT_EQ(out.attachments, in.attachments);
  EXPECT_TRUE(messages[0].attachments.empty());
  EXPECT_FALSE(out.stats);
  EXPECT_GE(out.created + std::chrono::milliseconds(1), before);
  EXPECT_LE(out.created, std::chrono::system_clock::now());
}

TEST(StoreTest, ADraftGrowsAndIsFinishedOnce) {
  const std::array<std::int32_t, 2> ids = {7, 8};
  Store store = Store::in_memory();
  const auto c = store.create_conversation({{user("hi")}});
  const auto answer = store.append_message(c.conversation, c.message, draft());
  store.update_draft(answer.message, {"Hel", "Hm", std::span(ids).first(1), -1});
  EXPECT_EQ(store.messages(c.conversation)[1].answer_begin, -1);
  EXPECT_EQ(store.messages(c.conversation)[1].state, MessageState::draft);
  EXPECT_EQ(store.messages(c.conversation)[1].content, "Hel");
  const MessageStats stats{.n_prompt = 20,
                           .n_cached = 16,
                           .n_generated = 2,
                           .n_passes = 1,
                           .n_drafted = 5,
                           .n_accepted = 3,
                           .ttft = std::chrono::milliseconds(30),
                           .prefill = std::chrono::milliseconds(25),
                           .decode = std::chrono::milliseconds(7)};
  store.finish_message(answer.message, MessageState::done, {"Hello", "Hm.", ids, 1}, stats);
  const Message out = store.messages(c.conversation)[1];
  EXPECT_EQ(out.state, MessageState::done);
  EXPECT_EQ(out.content, "Hello");
  EXPECT_EQ(out.reasoning, "Hm.");
  EXPECT_THAT(out.tokens, ElementsAre(7, 8));
  EXPECT_EQ(out.answer_begin, 1);
  ASSERT_TRUE(out.stats);
  EXPECT_EQ(*out.stats, stats);
  EXPECT_THROW(store.update_draft(answer.message, {"x"}), StoreError);
  EXPECT_THROW(store.finish_message(answer.message, MessageState::done, {"x"}, {}), StoreError);
  // After a failure that was none, it is tried again.
  EXPECT_NO_THROW(
      store.finish_message(answer.message, MessageState::done, {"Hello", "Hm.", ids, 1}, stats));
  EXPECT_THROW(store.update_draft(c.message, {"x"}), StoreError);
  EXPECT_EQ(contents(store.messages(c.conversation)), (std::vector<std::string>{"hi", "Hello"}));
}

TEST(StoreTest, ASecondAnswerIsASibling) {
  Store store = Store::in_memory();
  const auto c = store.create_conversation({{user("q")}});
  const auto first = store.append_message(c.conversation, c.message, user("a1"));
  EXPECT_FALSE(first.branched);
  const auto second = store.append_message(c.conversation, c.message, user("a2"));
  EXPECT_TRUE(second.branched);
  EXPECT_THAT(contents(store.messages(c.conversation)), ElementsAre("q", "a2"));
  EXPECT_THAT(contents(store.messages_to(first.message)), ElementsAre("q", "a1"));
  const auto third = store.append_message(c.conversation, c.message, user("a3"), second.message);
  EXPECT_FALSE(third.branched);  // the head was known
  store.set_head(c.conversation, first.message);
  EXPECT_FALSE(store.append_message(c.conversation, first.message, user("more")).branched);
  EXPECT_THAT(contents(store.messages(c.conversation)), ElementsAre("q", "a1", "more"));
  const auto edited = store.append_message(c.conversation, std::nullopt, user("other q"));
  EXPECT_TRUE(edited.branched);
  EXPECT_THAT(contents(store.messages(c.conversation)), ElementsAre("other q"));
  EXPECT_EQ(store.conversation(c.conversation)->n_messages, 6);
}

TEST(StoreTest, AParentMustBeOfTheConversation) {
  Store store = Store::in_memory();
  const auto a = store.create_conversation({{user("a")}});
  const auto b = store.create_conversation({{user("b")}});
  EXPECT_THROW(store.append_message(a.conversation, b.message, user("x")), StoreError);
  EXPECT_THROW(store.append_message(a.conversation, MessageId{999}, user("x")), StoreError);
  EXPECT_THROW(store.append_message(ConversationId{999}, std::nullopt, user("x")), StoreError);
  EXPECT_THROW(store.set_head(a.conversation, b.message), StoreError);
  EXPECT_EQ(store.conversation(a.conversation)->n_messages, 1);
}

TEST(StoreTest, ATitleIsMadeFromTheFirstUserMessage) {
  Store store = Store::in_memory();
  const NewMessage system{.role = Role::system, .content = "Be brief."};
  const auto c = store.create_conversation({{system}});
  EXPECT_EQ(store.conversation(c.conversation)->title, "");
  store.append_message(c.conversation, c.message, user("Why is the sky blue?\nTell me."));
  EXPECT_EQ(store.conversation(c.conversation)->title, "Why is the sky blue?");
  store.rename(c.conversation, "Sky");
  store.append_message(c.conversation, c.message, user("another"));
  EXPECT_EQ(store.conversation(c.conversation)->title, "Sky");
  EXPECT_THROW(store.rename(ConversationId{999}, "x"), StoreError);
}

std::string title_of(Store& store, ConversationId id) {
  return store.conversation(id)->title;
}

TEST(StoreTest, AQuestionThatSaysTooLittleIsNamedByItsFileOrItsAnswer) {
  Store store = Store::in_memory();
  NewMessage file_only = user("");
  file_only.attachments = {make_attachment("notes.md", "long text")};
  EXPECT_EQ(title_of(store, store.create_conversation({{file_only}}).conversation), "notes.md");

  const auto c = store.create_conversation({{user("Hi!")}});
  EXPECT_EQ(title_of(store, c.conversation), "Hi!");
  const auto first = store.append_message(c.conversation, c.message, draft());
  store.finish_message(first.message, MessageState::done, {"Hello! Foxes are canines. Bye."}, {});
  EXPECT_EQ(title_of(store, c.conversation), "Foxes are canines");
  const auto more = store.append_message(c.conversation, first.message, user("hi"));
  const auto last = store.append_message(c.conversation, more.message, draft());
  store.finish_message(last.message, MessageState::done, {"# Another heading"}, {});
  EXPECT_EQ(title_of(store, c.conversation), "Foxes are canines");
  const auto told = store.append_message(c.conversation, last.message, user("What is a den?"));
  EXPECT_EQ(title_of(store, c.conversation), "What is a den?");
  store.append_message(c.conversation, told.message, user("And a lair?"));
  EXPECT_EQ(title_of(store, c.conversation), "What is a den?");
}

TEST(StoreTest, AGivenTitleIsNotReplaced) {
  Store store = Store::in_memory();
  const auto c = store.create_conversation({{user("hi")}}, "Mine");
  EXPECT_TRUE(store.conversation(c.conversation)->title_given);
  const auto a = store.append_message(c.conversation, c.message, draft());
  store.finish_message(a.message, MessageState::done, {"# Heading"}, {});
  EXPECT_EQ(title_of(store, c.conversation), "Mine");

  const auto d = store.create_conversation({{user("hi")}});
  EXPECT_FALSE(store.conversation(d.conversation)->title_given);
  store.rename(d.conversation, "Given");
  const auto b = store.append_message(d.conversation, d.message, draft());
  store.finish_message(b.message, MessageState::done, {"# Heading"}, {});
  EXPECT_EQ(title_of(store, d.conversation), "Given");
}

TEST(StoreTest, PinnedOnesAreFirst) {
  Store store = Store::in_memory();
  const auto a = store.create_conversation({{user("a")}}).conversation;
  store.create_conversation({{user("b")}});
  const auto c = store.create_conversation({{user("c")}}).conversation;
  store.set_pinned(a, true);
  EXPECT_THAT(titles(store.list()), ElementsAre("a", "c", "b"));
  EXPECT_TRUE(store.list()[0].pinned);
  EXPECT_EQ(store.latest_conversation()->id, c);  // the one to continue
  store.set_pinned(a, false);
  EXPECT_THAT(titles(store.list()), ElementsAre("c", "b", "a"));
  EXPECT_THROW(store.set_pinned(ConversationId{99}, true), StoreError);
}

TEST(StoreTest, ListsAreLastUpdatedFirst) {
  Store store = Store::in_memory();
  EXPECT_FALSE(store.latest_conversation());
  EXPECT_TRUE(store.list().empty());
  const auto a = store.create_conversation({{user("a")}});
  store.create_conversation({{user("b"), user("b2")}});
  const auto c = store.create_conversation({{user("c")}});
  EXPECT_THAT(titles(store.list()), ElementsAre("c", "b", "a"));
  EXPECT_THAT(titles(store.list(2)), ElementsAre("c", "b"));
  EXPECT_EQ(store.list()[1].n_messages, 2);
  const auto newest = store.conversation(c.conversation)->updated;
  while (std::chrono::system_clock::now() <= newest + std::chrono::milliseconds(1)) {
  }
  store.append_message(a.conversation, a.message, user("more"));
  EXPECT_EQ(store.latest_conversation()->id, a.conversation);
  EXPECT_GT(store.latest_conversation()->updated, newest);
}

TEST(StoreTest, WhatIsDeletedIsGoneFromTheFiles) {
  const TempDir dir;
  const std::string secret = "correct horse battery staple";
  std::string large;
  for (int i = 0; i < 2000; ++i) large += secret + " ";
  Store store(dir / "x.db");
  const auto kept = store.create_conversation({{user("kept")}});
  const auto c = store.create_conversation({{user(secret), user(large), draft()}});
  store.update_draft(c.message, {large});
  store.update_draft(c.message, {secret});
  const auto files_with_secret = [&] {
    int n = 0;
    for (const auto& file : std::filesystem::directory_iterator(dir.path())) {
      n += read_file(file.path()).find("horse") != std::string::npos;
    }
    return n;
  };
  EXPECT_GT(files_with_secret(), 0);
  store.remove(c.conversation);
  EXPECT_EQ(files_with_secret(), 0);
  EXPECT_FALSE(store.conversation(c.conversation));
  EXPECT_TRUE(store.messages_to(c.message).empty());
  EXPECT_THROW(store.messages(c.conversation), StoreError);
  EXPECT_THROW(store.update_draft(c.message, {"x"}), StoreError);
  store.remove(c.conversation);
  EXPECT_EQ(store.list().size(), 1u);
  EXPECT_THAT(contents(store.messages(kept.conversation)), ElementsAre("kept"));
  const auto next = store.create_conversation({{user("next")}});
  EXPECT_GT(next.conversation, c.conversation);  // a deleted one's number is not used again
}

TEST(StoreTest, TheNumberOfADeletedMessageIsNotUsedAgain) {
  Store store = Store::in_memory();
  const auto kept = store.create_conversation({{user("kept")}});
  const auto c = store.create_conversation({{user("q"), draft()}});
  store.remove(c.conversation);
  const auto next = store.append_message(kept.conversation, kept.message, draft());
  EXPECT_GT(next.message, c.message) << "or what finishes the deleted answer finishes another one";
  EXPECT_THROW(store.finish_message(c.message, MessageState::done, {"x"}, {}), StoreError);
}

TEST(StoreTest, TheLatestIsTheOneThatWasUsedLastWhateverTheDates) {
  Store store = Store::in_memory();
  const auto a = store.create_conversation({{user("a")}});
  ConversationTree ahead = store.tree(a.conversation);
  ahead.conversation.created += std::chrono::hours(24 * 365);
  ahead.conversation.updated = ahead.conversation.created;
  const ConversationId b = store.import({{ahead}}).added.at(0);
  EXPECT_EQ(store.latest_conversation()->id, a.conversation) << "the other was only imported";
  const auto in_b = store.messages(b)[0].id;
  const auto draft_of_b = store.append_message(b, in_b, draft());
  EXPECT_EQ(store.latest_conversation()->id, b);
  store.append_message(a.conversation, a.message, user("more"));
  EXPECT_EQ(store.latest_conversation()->id, a.conversation);
  store.finish_message(draft_of_b.message, MessageState::done, {"x"}, {});
  EXPECT_EQ(store.latest_conversation()->id, b);
}

TEST(StoreTest, ATitleThatCannotBeSeenIsRefused) {
  Store store = Store::in_memory();
  const auto c = store.create_conversation({{user("a fox")}});
  for (const char* title : {"", "  ", "\n", "\t\r", "\u200b", "\u3000\u00a0", "\ufeff"})
    EXPECT_THROW(store.rename(c.conversation, title), StoreError) << title;
  EXPECT_EQ(store.conversation(c.conversation)->title, "a fox");
  store.rename(c.conversation, "two\nlines");
  EXPECT_EQ(store.conversation(c.conversation)->title, "two\nlines");
}

TEST(StoreTest, ThousandsOfMessagesKeepTheirOrder) {
  Store store = Store::in_memory();
  std::vector<NewMessage> many(3000);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i].content = std::to_string(i);
    if (i % 1000 == 7) many[i].attachments = {{"file", i, "hash"}};
  }
  const auto c = store.create_conversation(many);
  const auto messages = store.messages(c.conversation);
  ASSERT_EQ(messages.size(), many.size());
  for (std::size_t i = 0; i < many.size(); ++i) {
    EXPECT_EQ(messages[i].content, many[i].content);
    EXPECT_EQ(messages[i].attachments.size(), many[i].attachments.size());
  }
}

// Each is told at its next append that the other has been there.
TEST(StoreTest, TwoProgramsMakeTwoBranches) {
  const TempDir dir;
  Store one(dir / "x.db");
  Store two(dir / "x.db");
  const auto c = one.create_conversation({{user("q")}});
  const auto a = one.append_message(c.conversation, c.message, user("from one"));
  const auto b = two.append_message(c.conversation, c.message, user("from two"));
  EXPECT_FALSE(a.branched);
  EXPECT_TRUE(b.branched);
  EXPECT_THAT(contents(one.messages_to(a.message)), ElementsAre("q", "from one"));
  EXPECT_THAT(contents(one.messages(c.conversation)), ElementsAre("q", "from two"));
  const auto more = one.append_message(c.conversation, a.message, user("more from one"));
  EXPECT_TRUE(more.branched);
  EXPECT_FALSE(one.append_message(c.conversation, more.message, user("and more")).branched);
  EXPECT_TRUE(two.append_message(c.conversation, b.message, user("more from two")).branched);
  two.remove(c.conversation);
  EXPECT_THROW(one.append_message(c.conversation, a.message, user("x")), StoreError);
}

}  // namespace
}  // namespace confab::sessions
