// SPDX-License-Identifier: MIT
#include "app/transfer/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "app/transfer/json_format.h"
#include "sessions/conversations/store.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using sessions::Role;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

auto fails_with(const char* what) {
  return ThrowsMessage<UserError>(
      AllOf(HasSubstr("f.json: "), HasSubstr(what), Not(HasSubstr("\n"))));
}

TEST(ImportTest, ABareListOfMessages) {
  const auto trees = parse_import(R"([
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What is a fox?"},
    {"role": "assistant", "content": "A canine.", "reasoning_content": "Hm."}])",
                                  "f.json")
                         .conversations;
  ASSERT_EQ(trees.size(), 1U);
  const auto& messages = trees[0].messages;
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].role, Role::system);
  EXPECT_EQ(messages[2].content, "A canine.");
  EXPECT_EQ(messages[2].reasoning, "Hm.");
  EXPECT_EQ(messages[2].parent, messages[1].id);
  EXPECT_EQ(trees[0].conversation.head, messages[2].id);
  sessions::Store store = sessions::Store::in_memory();
  EXPECT_EQ(store.conversation(store.import(trees).added[0])->title, "What is a fox?");
}

TEST(ImportTest, AnObjectWithPartsModelAndSystem) {
  const Import import = parse_import(R"({"model": "llama3", "system": "Be brief.", "stream": false,
    "title": "Foxes", "messages": [
    {"role": "user", "content": [{"type": "text", "text": "What"}, "is this?",
      {"type": "image_url", "image_url": {"url": "data:..."}}]},
    {"role": "assistant", "content": null, "tool_calls": []},
    {"role": "tool", "content": "42"},
    {"role": "assistant", "thinking": "Hm.", "content": "A fox."}]})",
                                     "f.json");
  const auto& trees = import.conversations;
  const auto& messages = trees.at(0).messages;
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].content, "Be brief.");
  EXPECT_EQ(messages[1].content, "What\nis this?\n[image_url]");
  EXPECT_EQ(messages[2].content, "A fox.");
  EXPECT_EQ(messages[2].reasoning, "Hm.");
  EXPECT_EQ(messages[2].model, "llama3");
  EXPECT_EQ(messages[1].model, "");
  EXPECT_EQ(trees[0].conversation.title, "Foxes");
  EXPECT_TRUE(trees[0].conversation.title_given);
  EXPECT_EQ(import.left_out.n_messages, 2) << "a call of a tool and what it said";
}

TEST(ImportTest, ReasoningInsideAnAnswerIsToldFromIt) {
  const Import import = parse_import(R"([{"role": "user", "content": "<think>a</think>b"},
    {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nA fox."},
    {"role": "assistant", "content": "A tag is <think>x</think>."},
    {"role": "assistant", "content": "<think>cut of"},
    {"role": "assistant", "content": "<think>kept</think>y", "thinking": "Hm."}])",
                                     "f.json");
  const auto& messages = import.conversations.at(0).messages;
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_EQ(messages[0].content, "<think>a</think>b");
  EXPECT_EQ(messages[1].reasoning, "Hm.");
  EXPECT_EQ(messages[1].content, "A fox.");
  EXPECT_EQ(messages[2].content, "A tag is <think>x</think>.");
  EXPECT_EQ(messages[3].reasoning, "cut of");
  EXPECT_EQ(messages[3].content, "");
  EXPECT_EQ(messages[4].content, "<think>kept</think>y");
  EXPECT_EQ(import.left_out.n_messages, 0);
}

TEST(ImportTest, SeveralConversationsInAList) {
  const auto trees = parse_import(R"([{"messages": [{"role": "user", "content": "a"}]},
                                      {"messages": [{"role": "user", "content": "b"}]}])",
                                  "f.json");
  EXPECT_EQ(trees.conversations.size(), 2U);
}

TEST(ImportTest, OursAreKnown) {
  sessions::Store store = sessions::Store::in_memory();
  const sessions::NewMessage question{.role = Role::user, .content = "q"};
  const auto id = store.create_conversation({{question}}).conversation;
  const auto trees = parse_import(to_json({{store.tree(id), store.tree(id)}}), "f.json");
  EXPECT_EQ(trees.conversations.size(), 2U);
}

TEST(ImportTest, BadInputIsOneClearLine) {
  const std::pair<const char*, const char*> kFaults[] = {
      {"", "not JSON"},
      {"{\"messages\": [}", "not JSON: column 15"},
      {"5", "expected \"messages\""},
      {"\"text\"", "expected \"messages\""},
      {"{}", "expected \"messages\""},
      {"[]", "no conversations"},
      {"[5]", "[0]: expected"},
      {R"({"messages": []})", "f.json: no message to import"},
      {R"({"messages": {}})", "messages: found an object, expected an array"},
      {R"([{"role": "user", "content": "a"}, {"content": "b"}])", "[1]: \"role\" is missing"},
      {R"([{"role": "robot", "content": "a"}])", "[0].role: \"robot\" is not a role"},
      {R"([{"role": "user", "content": 5}])", "[0].content: found a number"},
      {R"([{"role": "user", "content": [5]}])", "[0].content[0]: found a number"},
      {R"({"format": "confab-conversations", "version": 9})", "version: found 9"},
      {R"([{"messages": [{"role": "user", "content": "a"}]}, {"x": 1}])", "[1]: expected"},
  };
  for (const auto& [text, what] : kFaults)
    EXPECT_THAT([t = std::string(text)] { parse_import(t, "f.json"); }, fails_with(what)) << text;
}

TEST(ImportTest, FilesThatCannotBeReadAreNamed) {
  const TempDir dir;
  const std::string file = dir.file("a.json", R"([{"role": "user", "content": "a"}])");
  EXPECT_EQ(read_import(file).conversations.size(), 1U);
  EXPECT_THAT([&] { read_import(dir.path().string()); },
              ThrowsMessage<UserError>(HasSubstr("is a directory")));
  EXPECT_THAT([&] { read_import(file + "x"); },
              ThrowsMessage<UserError>(HasSubstr("a.jsonx: No such file")));
}

TEST(ImportTest, SaysHowManyHaveComeAndWhatHasNot) {
  const auto of = [](std::int64_t id) { return sessions::ConversationId{id}; };
  EXPECT_EQ(describe_import("f", {.added = {of(4), of(5)}, .extended = {}}, {}),
            "f: imported 2 conversations");
  EXPECT_EQ(describe_import("f", {.added = {of(4), of(5)}, .extended = {}},
                            {.n_messages = 3, .n_conversations = 2, .n_orphans = 2}),
            "f: imported 2 conversations; 3 messages from tools or without text were left out; 2 "
            "conversations without any message were left out; 2 messages follow others that the "
            "file does not have, and begin branches");
  EXPECT_EQ(describe_import("f", {.added = {of(4)}, .extended = {of(2)}, .n_known = 1},
                            {.n_messages = 1}),
            "f: imported as conversation 4; 1 conversation was there and got its new messages; 1 "
            "conversation was already there; 1 message from tools or without text was left out");
  EXPECT_EQ(describe_import("f", {.added = {}, .extended = {}, .n_known = 3}, {}),
            "f: nothing new; 3 conversations were already there");
}

TEST(ImportTest, AConversationWithoutMessagesIsLeftOutAndCounted) {
  const Import import = parse_import(R"([{"messages": [{"role": "user", "content": "a"}]},
      {"messages": []}, {"messages": [{"role": "tool", "content": "x"}]}])",
                                     "f.json");
  EXPECT_EQ(import.conversations.size(), 1U);
  EXPECT_EQ(import.left_out.n_conversations, 2);
  EXPECT_EQ(import.left_out.n_messages, 1);
}

}  // namespace
}  // namespace confab::app
