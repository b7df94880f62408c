// SPDX-License-Identifier: MIT
#include "app/transfer/json_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/error.h"
#include "sessions/conversations/store.h"

namespace confab::app {
namespace {

using sessions::ConversationTree;
using sessions::MessageState;
using sessions::NewMessage;
using sessions::Role;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<ConversationTree> parse(const std::string& text) {
  const JsonDocument document(text, "f.json");
  return from_json(document.root());
}

// Two branches, attachments old and new, bytes that are no UTF-8, tokens and figures.
ConversationTree rich(sessions::Store& store) {
  NewMessage question{.role = Role::user, .content = "caf\xc3\xa9 \xff\xfe?"};
  question.attachments = {sessions::make_attachment("a\xff.md", std::string("\x00\xff", 2)),
                          sessions::make_attachment("b.md", "text"),
                          {"old.md", 77, "00ff", std::nullopt}};
  const auto c = store.create_conversation(
      {{NewMessage{.role = Role::system, .content = "Be \"brief\".\n"}, question}});
  NewMessage draft{.role = Role::assistant, .content = "", .state = MessageState::draft};
  draft.tokenizer_hash = "hash-1";
  draft.model = "m \x1b[31m";
  draft.sampler_json = R"({"temperature":0.8})";
  const auto a = store.append_message(c.conversation, c.message, draft);
  const std::vector<std::int32_t> tokens{1, 151643, 7};
  store.finish_message(a.message, MessageState::stopped, {"An\0swer", "Hm.", tokens, 1},
                       {.n_prompt = 9,
                        .n_cached = 8,
                        .n_generated = 3,
                        .n_passes = 2,
                        .n_drafted = 14,
                        .n_accepted = 5,
                        .by_lookup = {.n_drafted = 3, .n_accepted = 1},
                        .by_model = {.n_drafted = 5, .n_accepted = 4},
                        .by_heads = {.n_drafted = 6},
                        .ttft = std::chrono::duration<double>(0.1),
                        .prefill = std::chrono::duration<double>(1.0 / 3),
                        .decode = std::chrono::duration<double>(2e-9)});
  store.append_message(c.conversation, c.message, {.role = Role::assistant, .content = "Other."});
  store.set_head(c.conversation, a.message);
  store.set_pinned(c.conversation, true);
  store.set_reading(c.message, sessions::Reading::pinned, {});
  store.set_reading(a.message, sessions::Reading::dropped, sessions::Memory{1, 4, 2, "note \xff"});
  return store.tree(c.conversation);
}

TEST(ConversationJsonTest, NothingIsLostOnTheWayOutAndIn) {
  sessions::Store store = sessions::Store::in_memory();
  const ConversationTree tree = rich(store);
  const std::string text = to_json({{tree}});
  const auto read = parse(text);
  ASSERT_EQ(read.size(), 1U);
  ASSERT_EQ(read[0].messages.size(), tree.messages.size());
  for (std::size_t i = 0; i < tree.messages.size(); ++i) {
    EXPECT_EQ(static_cast<const NewMessage&>(read[0].messages[i]), tree.messages[i]) << i;
    EXPECT_EQ(read[0].messages[i].created, tree.messages[i].created);
    EXPECT_EQ(read[0].messages[i].stats, tree.messages[i].stats);
  }
  const auto id = store.insert(read)[0];
  EXPECT_EQ(to_json({{store.tree(id)}}), text);
}

TEST(ConversationJsonTest, TheTextIsForPeopleToo) {
  sessions::Store store = sessions::Store::in_memory();
  const auto document = nlohmann::json::parse(to_json({{rich(store)}}));
  EXPECT_EQ(document["format"], "confab-conversations");
  const auto& messages = document["conversations"][0]["messages"];
  EXPECT_EQ(messages[0]["content"], "Be \"brief\".\n");
  EXPECT_TRUE(messages[1]["content"].contains("base64"));
  EXPECT_EQ(messages[3]["parent"], 2);
  EXPECT_FALSE(messages[3].contains("stats"));
  EXPECT_EQ(document["conversations"][0]["head"], 3);
}

TEST(ConversationJsonTest, FaultsAreNamedWithTheirPlace) {
  sessions::Store store = sessions::Store::in_memory();
  const auto good = nlohmann::json::parse(to_json({{rich(store)}}));
  const auto with = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(pointer)] = value;
    return bad.dump();
  };
  const std::tuple<const char*, nlohmann::json, const char*> kFaults[] = {
      {"/version", 2, "version: found 2, expected 1"},
      {"/conversations", 5, "conversations: found a number, expected an array"},
      {"/conversations/0/title", 5, "conversations[0].title: found a number"},
      {"/conversations/0/head", 99, "conversations[0].head: found 99, expected a message up to 4"},
      {"/conversations/0/head", 0, "head: found 0"},
      {"/conversations/0/messages", nlohmann::json::array(), "messages: no messages"},
      {"/conversations/0/messages/1/parent", 2, "messages[1].parent: found 2, expected"},
      {"/conversations/0/messages/1/role", "robot", "messages[1].role: \"robot\" is not a role"},
      {"/conversations/0/messages/1/state", "x", "messages[1].state"},
      {"/conversations/0/messages/1/created", "x", "messages[1].created"},
      {"/conversations/0/messages/1/content/base64", "?", "content.base64: not base64"},
      {"/conversations/0/messages/2/tokens/0", -1, "tokens[0]: found -1"},
      {"/conversations/0/messages/2/tokens/0", 4294967296, "tokens[0]: found 4294967296"},
      {"/conversations/0/messages/2/stats", 1, "messages[2].stats: found a number"},
      {"/conversations/0/messages/1/attachments/0", 1, "attachments[0]: found a number"},
  };
  for (const auto& [pointer, value, what] : kFaults) {
    const std::string bad = with(pointer, value);
    const auto read = [&] { parse(bad); };
    EXPECT_THAT(read, ThrowsMessage<UserError>(HasSubstr(what)));
  }
}

}  // namespace
}  // namespace confab::app
