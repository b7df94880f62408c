// SPDX-License-Identifier: MIT
#include "sessions/conversations/import.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "sessions/conversations/catalog.h"
#include "sessions/error.h"
#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Time kDate{std::chrono::milliseconds(1700000000250)};

// Questions and answers in turn, each the next one's parent.
ConversationTree tree_of(std::initializer_list<std::string> said, Time created = {}) {
  ConversationTree tree;
  tree.conversation.created = tree.conversation.updated = created;
  for (const std::string& content : said) {
    Message message;
    message.id = MessageId{static_cast<std::int64_t>(tree.messages.size()) + 1};
    if (!tree.messages.empty()) message.parent = tree.messages.back().id;
    message.role = tree.messages.size() % 2 == 0 ? Role::user : Role::assistant;
    message.content = content;
    tree.conversation.head = message.id;
    tree.messages.push_back(std::move(message));
  }
  return tree;
}

std::vector<std::string> contents(const std::vector<Message>& messages) {
  std::vector<std::string> out;
  for (const Message& message : messages) out.push_back(message.content);
  return out;
}

class ImportTreesTest : public testing::Test {
 protected:
  std::vector<std::string> shown(ConversationId id) { return contents(store_.messages(id)); }
  std::size_t n_conversations() { return store_.list().size(); }

  Store store_ = Store::in_memory();
};

TEST_F(ImportTreesTest, WhatIsThereIsNotAddedAgain) {
  const std::vector<ConversationTree> trees{tree_of({"a", "A"}), tree_of({"b", "B"}, kDate)};
  const Imported first = store_.import(trees);
  EXPECT_EQ(first.added.size(), 2U);
  const Imported again = store_.import(trees);
  EXPECT_THAT(again.added, IsEmpty());
  EXPECT_THAT(again.extended, IsEmpty());
  EXPECT_EQ(again.n_known, 2U);
  EXPECT_EQ(n_conversations(), 2U);
  const Imported twice = store_.import({{tree_of({"c", "C"}), tree_of({"c", "C"})}});
  EXPECT_EQ(twice.added.size(), 1U) << "nor twice of one file";
  EXPECT_EQ(twice.n_known, 1U);
}

TEST_F(ImportTreesTest, OnesOwnExportIsKnown) {
  const auto c = store_.create_conversation({{{.content = "q"}}});
  const auto a = store_.append_message(
      c.conversation, c.message,
      {.role = Role::assistant, .content = "half", .state = MessageState::draft});
  const ConversationTree exported = store_.tree(c.conversation);
  EXPECT_EQ(store_.import({{exported}}).n_known, 1U);
  store_.finish_message(a.message, MessageState::done, {"whole"}, {});
  const Imported then = store_.import({{exported}});
  EXPECT_THAT(then.extended, ElementsAre(c.conversation)) << "the half answer is another one";
  EXPECT_THAT(shown(c.conversation), ElementsAre("q", "whole"));
}

TEST_F(ImportTreesTest, AConversationThatWentOnHereIsKnown) {
  const ConversationTree tree = tree_of({"a", "A"});
  const ConversationId id = store_.import({{tree}}).added.at(0);
  store_.append_message(id, store_.messages(id).back().id, {.content = "more"});
  EXPECT_EQ(store_.import({{tree}}).n_known, 1U);
  EXPECT_THAT(shown(id), ElementsAre("a", "A", "more"));
}

TEST_F(ImportTreesTest, AConversationThatWentOnThereGetsItsNewMessages) {
  const ConversationId id = store_.import({{tree_of({"a", "A"}, kDate)}}).added.at(0);
  const Imported later = store_.import({{tree_of({"a", "A", "b", "B"}, kDate)}});
  EXPECT_THAT(later.added, IsEmpty());
  EXPECT_THAT(later.extended, ElementsAre(id));
  EXPECT_THAT(shown(id), ElementsAre("a", "A", "b", "B"));
}

TEST_F(ImportTreesTest, ConversationsThatOnlyBeginAlikeAreKeptApart) {
  store_.import({{tree_of({"hi", "Hello!"}, kDate)}});
  const Time other = kDate + std::chrono::hours(1);
  EXPECT_EQ(store_.import({{tree_of({"hi", "Hello!"}, other)}}).added.size(), 1U)
      << "of another time";
  store_.import({{tree_of({"hi", "Hello!", "foxes?", "Red."})}});
  EXPECT_EQ(store_.import({{tree_of({"hi", "Hello!", "cats?", "Grey."})}}).added.size(), 1U);
  EXPECT_EQ(n_conversations(), 4U);
}

TEST_F(ImportTreesTest, BothVersionsOfAConversationAreBranchesWhereItsDateTellsIt) {
  const ConversationId id = store_.import({{tree_of({"a", "A"}, kDate)}}).added.at(0);
  const Appended here =
      store_.append_message(id, store_.messages(id).back().id, {.content = "here"});
  const Imported there = store_.import({{tree_of({"a", "A", "there"}, kDate)}});
  EXPECT_THAT(there.extended, ElementsAre(id));
  EXPECT_EQ(store_.conversation(id)->head, here.message) << "what is shown stays";
  EXPECT_EQ(store_.tree(id).messages.size(), 4U);
}

TEST_F(ImportTreesTest, ADeletedConversationComesBack) {
  const ConversationTree tree = tree_of({"a", "A"}, kDate);
  store_.remove(store_.import({{tree}}).added.at(0));
  EXPECT_EQ(store_.import({{tree}}).added.size(), 1U);
}

TEST_F(ImportTreesTest, EachHasATitleThatCanBeSeen) {
  ConversationTree blank = tree_of({"foxes", "Red."});
  blank.conversation.title = " \n";
  blank.conversation.title_given = true;
  ConversationTree answer_first = tree_of({"Welcome to the zoo.", "?"});
  answer_first.messages[0].role = Role::assistant;
  const Imported imported = store_.import({{blank, answer_first, tree_of({"\n \n"})}});
  std::vector<std::string> titles;
  for (const ConversationId id : imported.added) titles.push_back(store_.conversation(id)->title);
  EXPECT_THAT(titles, ElementsAre("foxes", testing::Not(IsEmpty()), "Untitled"));
}

TEST_F(ImportTreesTest, NothingComesInWhereOneIsBroken) {
  ConversationTree bad = tree_of({"b", "B"});
  bad.messages[0].parent = MessageId{2};
  EXPECT_THROW(store_.import({{tree_of({"a"}), bad}}), StoreError);
  EXPECT_EQ(n_conversations(), 0U);
}

// Three seconds of import, in which another program writes whenever it wants to.
TEST(ImportFileTest, OtherProgramsWaitATenthOfASecondAtMost) {
  const TempDir dir;
  Store(dir / "x.db").create_conversation({{{.content = "here"}}});
  std::vector<ConversationTree> trees(2);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    std::string text;
    for (int word = 0; word < 300; ++word) text += std::to_string(word * 7919) + ' ';
    for (std::int64_t i = 1; i <= 700; ++i) {  // long conversations are not one transaction either
      Message message;
      message.id = MessageId{i};
      if (i > 1) message.parent = MessageId{i - 1};
      message.content = std::to_string(t) + ' ' + std::to_string(i) + ' ' + text;
      trees[t].messages.push_back(std::move(message));
    }
    trees[t].conversation.head = MessageId{700};
  }
  const pid_t importing =
      fork_child([&] { return Store(dir / "x.db").import(trees).added.size() == trees.size(); });
  Store store(dir / "x.db", {.patience = std::chrono::milliseconds(400)});
  const ConversationId mine = store.list().back().id;
  int n_written = 0, status = 0;
  while (::waitpid(importing, &status, WNOHANG) == 0) {
    store.set_pinned(mine, n_written++ % 2 == 0);  // throws after the patience
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(status, 0);
  EXPECT_GT(n_written, 2) << "or nothing was tried";
  EXPECT_EQ(store.list().size(), 3U);
  EXPECT_EQ(store.import(trees).n_known, 2U);
}

TEST(ImportFileTest, OneThatWasKilledIsGoneOnWith) {
  const TempDir dir;
  std::vector<ConversationTree> trees(1);
  for (std::int64_t i = 1; i <= 1500; ++i) {
    Message message;
    message.id = MessageId{i};
    if (i > 1) message.parent = MessageId{i - 1};
    message.content = "message " + std::to_string(i) + ' ' + std::string(500, 'x');
    trees[0].messages.push_back(std::move(message));
  }
  trees[0].conversation.head = MessageId{1500};
  const pid_t importing = fork_child([&] {
    Store(dir / "x.db").import(trees);
    return true;
  });
  Store store(dir / "x.db");
  while (store.list().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ::kill(importing, SIGKILL);
  wait_for(importing);
  store.import(trees);
  ASSERT_EQ(store.list().size(), 1U);
  const auto messages = store.messages(store.list()[0].id);
  ASSERT_EQ(messages.size(), 1500U);
  EXPECT_EQ(messages.back().content, trees[0].messages.back().content);
  EXPECT_EQ(store.list()[0].n_messages, 1500);
}

}  // namespace
}  // namespace confab::sessions
