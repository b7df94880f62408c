// SPDX-License-Identifier: MIT
// A store that refuses at any step of a command: the chat is then as it was before, or as the
// command leaves it; one line tells what went wrong, and nothing that was said is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/app/commands/command_fixture.h"
#include "tests/app/refusing_database.h"

namespace confab::app {
namespace {

// Of a conversation: its title, what its open branch says, and all that was ever said in it.
struct Kept {
  std::string title;
  bool pinned;
  std::vector<std::string> open, all;
  bool operator==(const Kept&) const = default;
  auto operator<=>(const Kept&) const = default;
};

std::vector<std::string> contents_of(const std::vector<sessions::Message>& messages) {
  std::vector<std::string> all;
  for (const sessions::Message& message : messages) all.push_back(message.content);
  return all;
}

std::vector<Kept> all_kept(sessions::Store& store) {
  std::vector<Kept> kept;
  for (const sessions::Conversation& conversation : store.list()) {
    kept.push_back({conversation.title, conversation.pinned,
                    contents_of(store.messages(conversation.id)),
                    contents_of(store.tree(conversation.id).messages)});
    std::ranges::sort(kept.back().all);
  }
  std::ranges::sort(kept);
  return kept;
}

// What a person sees of the chat.
struct Seen {
  std::vector<std::string> said;
  std::string system, model;
  int n_ctx_used;
  bool generating;
  bool operator==(const Seen&) const = default;
};

struct World {
  FakeModel model, other;
  sessions::Store store = sessions::Store::in_memory();
  ChatOptions options;
  Chat chat;
  RecordingConsole console;
  CommandContext context{chat, &store, console};

  World() : options(brief()), chat(model, &store, options) {
    other.change_info().name = "other";
    exchange("Before?", "Earlier.");
    chat.start_new();
    exchange("One?", "First.");
    exchange("Two?", "Second.");
    run_command(context, "/retry");
    answer("Again.", engine::FinishReason::length);
    console.notices.clear();
  }
  static ChatOptions brief() {
    ChatOptions options;
    options.system = "Be brief.";
    return options;
  }
  void answer(const char* text, engine::FinishReason reason) {
    chat.take(engine::TextDelta{text, 1, {1}});
    chat.take(finished({1}, reason));
  }
  void exchange(const char* question, const char* text) {
    chat.send(question);
    answer(text, engine::FinishReason::end_of_turn);
  }
  Seen seen() const {
    Seen seen{{}, chat.system(), chat.model_info().name, chat.n_ctx_used(), chat.generating()};
    for (const sessions::Message& message : chat.messages()) seen.said.push_back(message.content);
    return seen;
  }
  std::vector<std::string> told() {
    std::vector<std::string> lines = console.errors;
    for (std::string line = chat.take_error(); !line.empty(); line = chat.take_error())
      lines.push_back(line);
    return lines;
  }
  void finish() {
    if (chat.generating()) answer("Goes on.", engine::FinishReason::end_of_turn);
  }
};

struct Change {
  const char* name;
  std::vector<std::string> lines;  // the last one is refused
  std::function<void(World&)> act = {};
};

const std::vector<Change> kChanges{
    {"new", {"/new"}},
    {"resume", {"/resume Before?"}},
    {"branch", {"/branch 1"}},
    {"system", {"/system Shout."}},
    {"no_system", {"/system off"}},
    {"fork", {"/fork Copy"}},
    {"pop", {"/fork Copy", "/pop"}},
    {"undo", {"/undo"}},
    {"undo_all", {"/undo 2"}},
    {"forget", {"/forget"}},
    {"edit", {"/edit Other?"}},
    {"retry", {"/retry"}},
    {"continue_answer", {"/continue"}},
    {"rename", {"/rename Foxes"}},
    {"pin", {"/pin"}},
    {"remove", {"/delete"}},
    {"remove_other", {"/delete Before?"}},
    {"compact", {"/compact"}},
    {"ask", {}, [](World& world) { world.chat.send("More?"); }},
    {"model", {}, [](World& world) { world.chat.use_model(world.other); }},
};

class RefusingStoreTest : public ::testing::TestWithParam<Change> {
 protected:
  RefusingDatabase database_;
  static void prepare(World& world) {
    const std::vector<std::string>& lines = GetParam().lines;
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) run_command(world.context, lines[i]);
    EXPECT_TRUE(world.console.errors.empty()) << world.console.errors.front();
  }
  static void act(World& world) {
    if (GetParam().act)
      attempt(world.context, [&] { GetParam().act(world); });
    else
      run_command(world.context, GetParam().lines.back());
  }
};

TEST_P(RefusingStoreTest, ChangesAllOrNothingAndLosesNothing) {
  World whole;
  prepare(whole);
  act(whole);
  ASSERT_TRUE(whole.told().empty()) << whole.told().front();
  const Seen after = whole.seen();
  whole.finish();
  const std::vector<Kept> kept_after = all_kept(whole.store);
  for (int step = 0;; ++step) {
    SCOPED_TRACE(step);
    World world;
    prepare(world);
    const Seen before = world.seen();
    const std::vector<Kept> kept_before = all_kept(world.store);
    database_.refuse_after(step);
    act(world);
    if (!database_.has_refused()) break;
    const auto told = world.told();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told.front().find('\n'), std::string::npos) << told.front();
    const bool undone = world.seen() == before;
    EXPECT_TRUE(undone || world.seen() == after) << told.front();
    world.finish();
    database_.allow_all();
    world.chat.save_rest();
    EXPECT_FALSE(world.chat.has_unsaved());
    const auto kept = all_kept(world.store);
    EXPECT_TRUE(kept == kept_after || (undone && kept == kept_before)) << told.front();
  }
}

INSTANTIATE_TEST_SUITE_P(All, RefusingStoreTest, ::testing::ValuesIn(kChanges),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace confab::app
