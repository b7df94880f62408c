// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/error.h"
#include "app/transfer/import.h"

namespace confab::app {
namespace {

using nlohmann::json;
using sessions::Message;
using sessions::Role;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

json text_message(const char* role, const char* text, double time = 1700000000.5) {
  return {{"author", {{"role", role}}},
          {"create_time", time},
          {"content", {{"content_type", "text"}, {"parts", {text}}}},
          {"metadata", {{"model_slug", "gpt-x"}}},
          {"recipient", "all"}};
}

json node(const char* id, const json& parent, const std::vector<std::string>& children,
          const json& message) {
  return {{"id", id}, {"parent", parent}, {"children", children}, {"message", message}};
}

// A root without a message, an empty system message, a question with two answers, of which the
// second came after thoughts and a call of a tool, and a follow-up.
json conversation() {
  json hidden = text_message("system", "hidden instructions");
  hidden["metadata"]["is_visually_hidden_from_conversation"] = true;
  json thoughts = text_message("assistant", "");
  thoughts["content"] = {{"content_type", "thoughts"},
                         {"thoughts", {{{"summary", "s"}, {"content", "Let me see."}}}}};
  json call = text_message("assistant", "search('fox')");
  call["recipient"] = "browser";
  json mapping{
      {"root", node("root", nullptr, {"sys"}, nullptr)},
      {"sys", node("sys", "root", {"hidden"}, text_message("system", ""))},
      {"hidden", node("hidden", "sys", {"q"}, hidden)},
      {"q", node("q", "hidden", {"a1", "thoughts"}, text_message("user", "What is a fox?"))},
      {"a1", node("a1", "q", {}, text_message("assistant", "A canine."))},
      {"thoughts", node("thoughts", "q", {"call"}, thoughts)},
      {"call", node("call", "thoughts", {"tool"}, call)},
      {"tool", node("tool", "call", {"a2"}, text_message("tool", "results"))},
      {"a2", node("a2", "tool", {"q2"}, text_message("assistant", "A red animal."))},
      {"q2", node("q2", "a2", {}, text_message("user", "And a hen?"))},
  };
  return {{"title", "Foxes"},
          {"create_time", 1700000000.25},
          {"update_time", 1700000100.0},
          {"mapping", mapping},
          {"current_node", "q2"}};
}

const Message& find(const sessions::ConversationTree& tree, const std::string& content) {
  for (const Message& message : tree.messages)
    if (message.content == content) return message;
  throw std::runtime_error("no message: " + content);
}

TEST(ImportChatGptTest, TheTreeIsKeptWithoutWhatIsNotShown) {
  const Import import = parse_import(json::array({conversation()}).dump(), "f.json");
  EXPECT_EQ(import.left_out.n_messages, 2) << "a call of a tool and what it said";
  const auto& trees = import.conversations;
  ASSERT_EQ(trees.size(), 1U);
  const auto& tree = trees[0];
  ASSERT_EQ(tree.messages.size(), 4U);
  const Message& question = find(tree, "What is a fox?");
  EXPECT_FALSE(question.parent);
  EXPECT_EQ(question.created, sessions::Time{std::chrono::milliseconds(1700000000500)});
  EXPECT_EQ(find(tree, "A canine.").parent, question.id);
  const Message& second = find(tree, "A red animal.");
  EXPECT_EQ(second.parent, question.id);
  EXPECT_EQ(second.reasoning, "Let me see.");
  EXPECT_EQ(second.model, "gpt-x");
  EXPECT_EQ(second.role, Role::assistant);
  EXPECT_EQ(find(tree, "A canine.").reasoning, "");
  EXPECT_EQ(find(tree, "And a hen?").parent, second.id);
  EXPECT_EQ(tree.conversation.head, find(tree, "And a hen?").id);
  EXPECT_EQ(tree.conversation.title, "Foxes");
  EXPECT_EQ(tree.conversation.created, sessions::Time{std::chrono::milliseconds(1700000000250)});
  for (const Message& message : tree.messages) {
    EXPECT_LT(message.parent.value_or(sessions::MessageId{}), message.id);
  }
}

TEST(ImportChatGptTest, TheHeadIsWhatWasKeptBeforeTheCurrentNode) {
  json c = conversation();
  c["current_node"] = "tool";
  EXPECT_EQ(parse_import(c.dump(), "f").conversations[0].conversation.head,
            find(parse_import(c.dump(), "f").conversations[0], "What is a fox?").id);
}

TEST(ImportChatGptTest, PartsAndCodeBecomeText) {
  json c = conversation();
  c["mapping"]["q"]["message"]["content"] = {
      {"content_type", "multimodal_text"},
      {"parts",
       {{{"content_type", "image_asset_pointer"}, {"asset_pointer", "x"}}, "What is this?"}}};
  c["mapping"]["a1"]["message"]["content"] = {
      {"content_type", "code"}, {"language", "python"}, {"text", "print(1)"}};
  const auto tree = parse_import(c.dump(), "f").conversations[0];
  EXPECT_NO_THROW(find(tree, "[image]\n\nWhat is this?"));
  EXPECT_NO_THROW(find(tree, "```python\nprint(1)\n```"));
}

TEST(ImportChatGptTest, ConversationsWithNothingToShowAreLeftOut) {
  json empty = conversation();
  empty["mapping"] = {{"root", node("root", nullptr, {}, nullptr)}};
  const Import import = parse_import(json::array({empty, conversation()}).dump(), "f");
  EXPECT_EQ(import.conversations.size(), 1U);
  EXPECT_EQ(import.left_out.n_conversations, 1) << "and not without a word";
  EXPECT_THROW(parse_import(json::array({empty}).dump(), "f"), UserError);
}

// A message was deleted there, or the file is cut: no other one is lost by that.
TEST(ImportChatGptTest, EveryMessageIsKeptWhateverTheLinksSay) {
  const std::vector<std::string> all{"What is a fox?", "A canine.", "A red animal.", "And a hen?"};
  const auto kept = [&](const json& c, int n_orphans) {
    const Import import = parse_import(c.dump(), "f");
    const auto& tree = import.conversations.at(0);
    for (const std::string& text : all) EXPECT_NO_THROW(find(tree, text)) << text;
    EXPECT_EQ(tree.messages.size(), all.size());
    EXPECT_EQ(import.left_out.n_orphans, n_orphans);
    return tree;
  };
  json gone = conversation();
  gone["mapping"]["q2"]["parent"] = "deleted";
  gone["mapping"]["a2"]["children"] = json::array();
  const auto tree = kept(gone, 1);
  EXPECT_FALSE(find(tree, "And a hen?").parent);
  EXPECT_EQ(tree.conversation.head, find(tree, "And a hen?").id);
  json listed = conversation();  // the other side of the link is there
  listed["mapping"]["q2"]["parent"] = "deleted";
  EXPECT_TRUE(find(kept(listed, 0), "And a hen?").parent);
  json unlisted = conversation();
  unlisted["mapping"]["a2"]["children"] = {"nobody"};
  EXPECT_TRUE(find(kept(unlisted, 0), "And a hen?").parent);
  json circle = conversation();
  circle["mapping"]["root"]["children"] = json::array();
  circle["mapping"]["sys"]["parent"] = "q2";
  kept(circle, 1);
  json no_root = conversation();
  no_root["mapping"].erase("root");
  kept(no_root, 1);
}

TEST(ImportChatGptTest, LoopsAndLongChainsEnd) {
  json loop = conversation();
  loop["mapping"]["q2"]["children"] = {"q", "sys"};
  EXPECT_EQ(parse_import(loop.dump(), "f").conversations[0].messages.size(), 4U);
  json chain{{"mapping", json::object()}};
  constexpr int kLength = 20000;
  for (int i = 0; i < kLength; ++i) {
    const std::string id = std::to_string(i), next = std::to_string(i + 1);
    chain["mapping"][id] =
        node(id.c_str(), i == 0 ? json(nullptr) : json(std::to_string(i - 1)),
             i + 1 < kLength ? std::vector<std::string>{next} : std::vector<std::string>{},
             text_message(i % 2 == 0 ? "user" : "assistant", "text"));
  }
  EXPECT_EQ(parse_import(chain.dump(), "f").conversations[0].messages.size(), 20000U);
}

TEST(ImportChatGptTest, FaultsAreNamedWithTheirPlace) {
  const auto with = [](const char* pointer, const json& value) {
    json bad = conversation();
    bad[json::json_pointer(pointer)] = value;
    return json::array({bad}).dump();
  };
  const std::tuple<const char*, json, const char*> kFaults[] = {
      {"/mapping", 5, "f: [0].mapping: found a number, expected an object"},
      {"/mapping/q/message", 5, "[0].mapping.q.message: found a number"},
      {"/mapping/q/message/author/role", "robot", "mapping.q.message.author.role: \"robot\""},
      {"/mapping/q/children", 5, "mapping.q.children: found a number, expected an array"},
      {"/mapping/q/children/0", 5, "mapping.q.children[0]: found a number, expected a string"},
      {"/mapping/q/parent", 5, "mapping.q.parent: found a number, expected a string"},
      {"/mapping/q/message/content/parts", 5, "content.parts: found a number"},
      {"/create_time", "now", "create_time: found a string, expected a number"},
  };
  for (const auto& [pointer, value, what] : kFaults) {
    const std::string bad = with(pointer, value);
    const auto read = [&] { parse_import(bad, "f"); };
    EXPECT_THAT(read, ThrowsMessage<UserError>(HasSubstr(what)));
  }
}

}  // namespace
}  // namespace confab::app
