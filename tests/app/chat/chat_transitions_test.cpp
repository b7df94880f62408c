// SPDX-License-Identifier: MIT
// Whatever changes a chat does all of it or nothing: a model that refuses at any step leaves the
// chat, and the conversation in the database, as they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>

#include "engine/error.h"
#include "sessions/conversations/sql.h"
#include "sessions/error.h"
#include "tests/app/chat/chat_fixture.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

constexpr int kNever = std::numeric_limits<int>::max();

class RefusingModel : public FakeModel {
 public:
  int count_tokens(const std::vector<engine::Turn>& turns,
                   const engine::TemplateSettings& settings) const override {
    step();
    return FakeModel::count_tokens(turns, settings);
  }
  engine::AnswerId generate(engine::GenerateRequest request) override {
    step();
    return FakeModel::generate(std::move(request));
  }
  mutable int n_left = kNever;  // calls that are not refused

 private:
  void step() const {
    if (n_left-- <= 0) throw engine::ModelError("chat template: refused");
  }
};

// All that a person or a front end can see of a chat.
struct Seen {
  std::vector<sessions::Message> messages;
  std::optional<sessions::ConversationId> conversation;
  std::string system, model;
  int n_ctx_used;
  bool generating, summarising, has_answer, has_unsaved;
  std::vector<sessions::Message> stored;
  std::size_t n_conversations;
  bool operator==(const Seen&) const = default;
};

struct Transition {
  const char* name;
  std::function<void(Chat&, sessions::Store&, RefusingModel& other)> run;
};

sessions::Conversation oldest(sessions::Store& store) {
  return store.list().back();
}

const std::vector<Transition> kTransitions{
    {"open", [](Chat& chat, sessions::Store& store, auto&) { chat.open(oldest(store)); }},
    {"open_branch",
     [](Chat& chat, sessions::Store& store, auto&) {
       const auto open = *store.conversation(*chat.conversation());
       chat.open(open, chat.messages().front().id);
     }},
    {"undo", [](Chat& chat, sessions::Store&, auto&) { chat.undo(1); }},
    {"forget", [](Chat& chat, sessions::Store&, auto&) { chat.forget(1); }},
    {"set_system", [](Chat& chat, sessions::Store&, auto&) { chat.set_system("Shout."); }},
    {"set_no_system", [](Chat& chat, sessions::Store&, auto&) { chat.set_system(""); }},
    {"use_model",
     [](Chat& chat, sessions::Store&, RefusingModel& other) { chat.use_model(other); }},
    {"send", [](Chat& chat, sessions::Store&, auto&) { chat.send("More?"); }},
    {"retry", [](Chat& chat, sessions::Store&, auto&) { chat.retry(); }},
    {"retry_first", [](Chat& chat, sessions::Store&, auto&) { chat.retry(0); }},
    {"edit", [](Chat& chat, sessions::Store&, auto&) { chat.edit("Other?", 0); }},
    {"continue", [](Chat& chat, sessions::Store&, auto&) { chat.continue_answer(); }},
    {"summarise", [](Chat& chat, sessions::Store&, auto&) { chat.summarise(); }},
};

class ChatTransitionsTest : public ::testing::TestWithParam<Transition> {
 protected:
  struct World {
    RefusingModel model, other;
    TempDir dir;
    sessions::Store store{dir / "x.db"};
    ChatOptions options;
    Chat chat;

    World() : options(brief()), chat(model, &store, options) {
      other.change_info().name = "other";
      exchange("Before?", "Earlier.", engine::FinishReason::end_of_turn);
      chat.start_new();
      exchange("One?", "First.", engine::FinishReason::end_of_turn);
      exchange("Two?", "Sec", engine::FinishReason::length);
    }
    static ChatOptions brief() {
      ChatOptions options;
      options.system = "Be brief.";
      return options;
    }
    void exchange(const char* question, const char* answer, engine::FinishReason reason) {
      chat.send(question);
      this->answer(answer, reason);
    }
    void answer(const char* text, engine::FinishReason reason) {
      chat.take(engine::TextDelta{text, 1, {1}});
      chat.take(finished({1}, reason));
    }
    Seen seen() {
      const auto conversation = chat.conversation();
      return {{chat.messages().begin(), chat.messages().end()},
              conversation,
              chat.system(),
              chat.model_info().name,
              chat.n_ctx_used(),
              chat.generating(),
              chat.summarising(),
              chat.last().has_value(),
              chat.has_unsaved(),
              conversation ? store.messages(*conversation) : std::vector<sessions::Message>(),
              store.list().size()};
    }
  };
};

TEST_P(ChatTransitionsTest, WhatTheModelRefusesChangesNothing) {
  int n_refused = 0;
  for (int step = 0;; ++step) {
    World world;
    const Seen before = world.seen();
    world.model.n_left = world.other.n_left = step;
    try {
      GetParam().run(world.chat, world.store, world.other);
      break;
    } catch (const engine::ModelError&) {
      ++n_refused;
    }
    EXPECT_EQ(world.seen(), before) << "step " << step;
    world.model.n_left = kNever;
    world.exchange("After?", "Goes on.", engine::FinishReason::end_of_turn);
    EXPECT_EQ(world.chat.messages().size(), before.messages.size() + 2);
    EXPECT_EQ(world.model.requests.back().turns.front().message.content, "Be brief.");
    EXPECT_EQ(world.store.messages(*world.chat.conversation()).size(), before.stored.size() + 2);
    world.chat.start_new();
    EXPECT_EQ(world.chat.system(), "Be brief.");
  }
  EXPECT_GT(n_refused, 0);
}

// Wherever a chat goes on from there.
TEST_P(ChatTransitionsTest, WhatCouldNotBeSavedIsNotForgotten) {
  World world;
  sessions::Database disk(world.dir / "x.db");
  disk.run_script(
      "CREATE TRIGGER full BEFORE INSERT ON message"
      " BEGIN SELECT raise(ABORT, 'the disk is full'); END");
  world.exchange("Lost?", "Never", engine::FinishReason::length);
  GetParam().run(world.chat, world.store, world.other);
  if (world.chat.generating()) world.answer("Else.", engine::FinishReason::end_of_turn);
  while (world.chat.messages().size() > 2) world.chat.forget(1);
  EXPECT_TRUE(world.chat.has_unsaved());
  disk.run_script("DROP TRIGGER full");
  world.exchange("After?", "Goes on.", engine::FinishReason::end_of_turn);
  EXPECT_FALSE(world.chat.has_unsaved());
  std::set<std::string> stored;
  for (const sessions::Conversation& conversation : world.store.list())
    for (const sessions::Message& message : world.store.tree(conversation.id).messages)
      stored.insert(message.content);
  EXPECT_THAT(stored, testing::IsSupersetOf({"Lost?", "Never", "After?", "Goes on."}));
}

INSTANTIATE_TEST_SUITE_P(All, ChatTransitionsTest, ::testing::ValuesIn(kTransitions),
                         [](const auto& instance) { return std::string(instance.param.name); });

using ChatOpeningTest = ChatTest;

TEST_F(ChatOpeningTest, AConversationThatCannotBeReadIsNotOpened) {
  Chat chat(model_, &store_, {});
  exchange(chat, "Before?", "Earlier.", {1});
  const auto gone = *store_.conversation(*chat.conversation());
  chat.start_new();
  exchange(chat, "One?", "First.", {1});
  const auto open = chat.conversation();
  store_.remove(gone.id);
  EXPECT_THROW(chat.open(gone), sessions::StoreError);
  EXPECT_EQ(chat.conversation(), open);
  exchange(chat, "Two?", "Second.", {1});
  EXPECT_EQ(store_.messages(*open).size(), 4U);
}

TEST_F(ChatOpeningTest, AModelThatRefusesTheFirstQuestionLeavesNoConversation) {
  RefusingModel model;
  Chat chat(model, &store_, {});
  model.n_left = 0;
  EXPECT_THROW(chat.send("One?"), engine::ModelError);
  EXPECT_TRUE(chat.messages().empty());
  EXPECT_FALSE(chat.conversation());
  EXPECT_TRUE(store_.list().empty());
}

TEST_F(ChatOpeningTest, ASystemPromptThatIsRefusedIsToldAtOnce) {
  RefusingModel model;
  Chat chat(model, &store_, {});
  model.n_left = 0;
  EXPECT_THROW(chat.set_system("Be brief."), engine::ModelError);
  model.n_left = kNever;
  EXPECT_EQ(chat.system(), "");
  chat.start_new();
  EXPECT_EQ(chat.system(), "");
}

}  // namespace
}  // namespace confab::app
