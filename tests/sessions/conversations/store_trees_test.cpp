// SPDX-License-Identifier: MIT
// Whole conversations that come from elsewhere, and what is attached to them.
#include <gmock/gmock.h>

#include <map>

#include "sessions/conversations/catalog.h"
#include "sessions/conversations/store.h"
#include "sessions/error.h"
#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

NewMessage user(std::string content) {
  return {.role = Role::user, .content = std::move(content)};
}

NewMessage draft() {
  return {.role = Role::assistant, .content = "", .state = MessageState::draft};
}

NewMessage answer(std::string content) {
  return {.role = Role::assistant, .content = std::move(content)};
}

std::string title_of(Store& store, ConversationId id) {
  return store.conversation(id)->title;
}

// The tree without what is given anew.
ConversationTree numbered(ConversationTree tree) {
  std::map<MessageId, MessageId> numbers;
  for (Message& m : tree.messages) {
    numbers.emplace(m.id, MessageId{static_cast<std::int64_t>(numbers.size() + 1)});
    m.id = numbers.at(m.id);
    if (m.parent) m.parent = numbers.at(*m.parent);
    m.conversation = {};
  }
  tree.conversation.head = numbers.at(tree.conversation.head);
  tree.conversation.id = {};
  return tree;
}

TEST(StoreTreesTest, ATreeIsInsertedAsItWas) {
  Store store = Store::in_memory();
  NewMessage question = user("q");
  question.attachments = {make_attachment("a.md", "giraffe"), {"old.md", 3, "00ff"}};
  const auto c = store.create_conversation({{question}});
  const auto a = store.append_message(c.conversation, c.message, draft());
  const std::array<std::int32_t, 2> ids = {7, 8};
  store.finish_message(a.message, MessageState::stopped, {"Hello", "Hm.", ids},
                       {.n_prompt = 3, .ttft = std::chrono::milliseconds(5)});
  store.append_message(c.conversation, c.message, answer("other"));
  store.set_head(c.conversation, a.message);
  store.set_reading(c.message, Reading::pinned, {});
  store.set_reading(a.message, Reading::usual, Memory{0, 2, 2, "they said hello"});
  store.set_pinned(c.conversation, true);
  const ConversationTree tree = store.tree(c.conversation);
  const auto copies = store.insert({{tree, tree}});
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_NE(copies[1], c.conversation);
  const ConversationTree copy = numbered(store.tree(copies[1]));
  EXPECT_EQ(copy.messages, numbered(tree).messages);
  EXPECT_EQ(copy.conversation.head, numbered(tree).conversation.head);
  EXPECT_EQ(copy.conversation.title, "q");
  EXPECT_FALSE(copy.conversation.title_given);
  EXPECT_TRUE(copy.conversation.pinned);
  EXPECT_EQ(copy.conversation.created, tree.conversation.created);
  EXPECT_EQ(copy.conversation.updated, tree.conversation.updated);
  EXPECT_EQ(Catalog(store).search("giraffe").size(), 3u);
}

TEST(StoreTreesTest, TreesAreInsertedAllOrNone) {
  Store store = Store::in_memory();
  const auto c = store.create_conversation({{user("q"), answer("a")}});
  const ConversationTree good = store.tree(c.conversation);
  ConversationTree no_messages = good, later_parent = good, no_head = good, wrong_order = good;
  no_messages.messages.clear();
  later_parent.messages[0].parent = later_parent.messages[1].id;
  no_head.conversation.head = MessageId{99};
  std::swap(wrong_order.messages[0], wrong_order.messages[1]);
  for (const auto& bad : {no_messages, later_parent, no_head, wrong_order}) {
    EXPECT_THROW(store.insert({{good, bad}}), StoreError);
    EXPECT_EQ(store.list().size(), 1u);
  }
}

TEST(StoreTreesTest, AnInsertedDraftIsStoppedAndAnEmptyTitleMade) {
  Store store = Store::in_memory();
  ConversationTree tree;
  tree.messages.resize(2);
  tree.messages[0].id = MessageId{1};
  tree.messages[0].content = "hello";
  tree.messages[1].id = MessageId{2};
  tree.messages[1].parent = MessageId{1};
  tree.messages[1].role = Role::assistant;
  tree.messages[1].state = MessageState::draft;
  tree.messages[1].content = "## All about otters";
  tree.conversation.head = MessageId{2};
  const auto id = store.insert({{tree}})[0];
  EXPECT_EQ(title_of(store, id), "All about otters");
  EXPECT_EQ(store.messages(id)[1].state, MessageState::stopped);
  EXPECT_EQ(Catalog(store).search("otters").size(), 1u);
}

TEST(StoreTreesTest, FilesGoWithTheLastConversationThatHasThem) {
  const TempDir dir;
  Store store(dir / "x.db");
  NewMessage question = user("q");
  std::string text = "the same pangolin";
  while (text.size() < 200000) text += " -- -- -- --";  // no words for the index
  question.attachments = {make_attachment("a.txt", text)};
  const auto a = store.create_conversation({{question}}).conversation;
  const auto size = std::filesystem::file_size(dir / "x.db");
  const auto b = store.create_conversation({{question}}).conversation;
  EXPECT_LT(std::filesystem::file_size(dir / "x.db"), size + 100000);
  store.remove(a);
  EXPECT_EQ(store.messages(b)[0].attachments, question.attachments);
  EXPECT_NE(read_file(dir / "x.db").find("pangolin"), std::string::npos);
  store.remove(b);
  EXPECT_EQ(read_file(dir / "x.db").find("pangolin"), std::string::npos);
}

}  // namespace
}  // namespace confab::sessions
