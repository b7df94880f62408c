// SPDX-License-Identifier: MIT
#include "app/transfer/json_format.h"

#include <fmt/format.h>

#include <limits>
#include <unordered_map>

#include "base/json.h"
#include "ui/base64.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using base::Json;
using sessions::Attachment;
using sessions::ConversationTree;
using sessions::DraftCount;
using sessions::Message;
using sessions::MessageId;
using sessions::MessageStats;

constexpr int kVersion = 1;

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const ui::Utf8Character next = ui::next_character(bytes);
    if (next.kind != ui::Utf8Character::Kind::whole) return false;
    bytes.remove_prefix(next.n_bytes);
  }
  return true;
}

Json text_json(const std::string& bytes) {
  if (is_utf8(bytes)) return bytes;
  return {{"base64", ui::to_base64(bytes)}};
}

void set_text(Json& object, const char* key, const std::string& bytes) {
  if (!bytes.empty()) object[key] = text_json(bytes);
}

std::int64_t milliseconds(sessions::Time time) {
  return time.time_since_epoch().count();
}

Json attachment_json(const Attachment& attachment) {
  Json object;
  object["name"] = text_json(attachment.name);
  object["size"] = attachment.size_bytes;
  object["hash"] = attachment.content_hash;
  if (attachment.content) object["content"] = text_json(*attachment.content);
  return object;
}

void set_drafts(Json& object, const char* key, const DraftCount& count) {
  if (count.n_drafted > 0)
    object[key] = {{"n_drafted", count.n_drafted}, {"n_accepted", count.n_accepted}};
}

Json stats_json(const MessageStats& stats) {
  Json object{{"n_prompt", stats.n_prompt},       {"n_cached", stats.n_cached},
              {"n_generated", stats.n_generated}, {"ttft", stats.ttft.count()},
              {"prefill", stats.prefill.count()}, {"decode", stats.decode.count()}};
  if (stats.n_passes > 0) object["n_passes"] = stats.n_passes;
  if (stats.n_drafted > 0) object["n_drafted"] = stats.n_drafted;
  if (stats.n_accepted > 0) object["n_accepted"] = stats.n_accepted;
  set_drafts(object, "by_lookup", stats.by_lookup);
  set_drafts(object, "by_model", stats.by_model);
  set_drafts(object, "by_heads", stats.by_heads);
  return object;
}

Json memory_json(const sessions::Memory& memory) {
  Json object{{"kept", memory.n_kept}, {"begin", memory.begin}, {"noted", memory.n_noted}};
  set_text(object, "note", memory.note);
  return object;
}

using Numbers = std::unordered_map<MessageId, int>;

Json message_json(const Message& message, const Numbers& numbers) {
  Json object;
  if (message.parent) object["parent"] = numbers.at(*message.parent);
  object["role"] = name_of(message.role);
  object["state"] = name_of(message.state);
  object["created"] = milliseconds(message.created);
  object["content"] = text_json(message.content);
  set_text(object, "reasoning", message.reasoning);
  if (!message.tokens.empty()) object["tokens"] = message.tokens;
  if (message.answer_begin != 0) object["answer_begin"] = message.answer_begin;
  set_text(object, "tokenizer_hash", message.tokenizer_hash);
  set_text(object, "model", message.model);
  set_text(object, "sampler", message.sampler_json);
  if (message.stats) object["stats"] = stats_json(*message.stats);
  for (const Attachment& a : message.attachments)
    object["attachments"].push_back(attachment_json(a));
  if (message.reading != sessions::Reading::usual) object["reading"] = name_of(message.reading);
  if (message.memory) object["memory"] = memory_json(*message.memory);
  return object;
}

// Writes one message per line, which people can read and diff, although answers have hundreds of
// tokens.
std::string tree_text(const ConversationTree& tree) {
  Numbers numbers;
  for (const Message& message : tree.messages)
    numbers.emplace(message.id, static_cast<int>(numbers.size()) + 1);
  const sessions::Conversation& c = tree.conversation;
  Json head;
  head["title"] = text_json(c.title);
  head["title_given"] = c.title_given;
  head["pinned"] = c.pinned;
  head["created"] = milliseconds(c.created);
  head["updated"] = milliseconds(c.updated);
  head["head"] = numbers.at(c.head);
  std::string text = head.dump();
  text.pop_back();
  text += ",\"messages\":[";
  for (std::size_t i = 0; i < tree.messages.size(); ++i)
    text += (i == 0 ? "\n" : ",\n") + message_json(tree.messages[i], numbers).dump();
  return text + "\n]}";
}

// --- and back

std::string text_from(const JsonCursor& value) {
  if (!value.is_object()) return value.string();
  const JsonCursor encoded = value.at("base64");
  if (auto bytes = ui::from_base64(encoded.string())) return *std::move(bytes);
  encoded.fail("not base64");
}

std::string text_in(const JsonCursor& object, std::string_view key) {
  const auto value = object.find(key);
  return value ? text_from(*value) : std::string();
}

template <class T>
T small_integer(const JsonCursor& value, T least) {
  const std::int64_t n = value.integer();
  if (n < least || n > std::numeric_limits<T>::max())
    value.fail(fmt::format("found {}, expected a number from {} to {}", n, least,
                           std::numeric_limits<T>::max()));
  return static_cast<T>(n);
}

sessions::Time time_from(const JsonCursor& value) {
  return sessions::Time{sessions::Time::duration{value.integer()}};
}

Attachment attachment_from(const JsonCursor& value) {
  Attachment attachment;
  attachment.name = text_from(value.at("name"));
  const auto content = value.find("content");
  if (content) return sessions::make_attachment(std::move(attachment.name), text_from(*content));
  attachment.size_bytes =
      static_cast<std::uint64_t>(small_integer<std::int64_t>(value.at("size"), 0));
  attachment.content_hash = value.at("hash").string();
  return attachment;
}

int count_in(const JsonCursor& object, std::string_view key) {
  const auto value = object.find(key);
  return value ? small_integer(*value, 0) : 0;
}

DraftCount drafts_in(const JsonCursor& object, std::string_view key) {
  const auto value = object.find(key);
  if (!value) return {};
  return {.n_drafted = count_in(*value, "n_drafted"), .n_accepted = count_in(*value, "n_accepted")};
}

MessageStats stats_from(const JsonCursor& value) {
  using Seconds = std::chrono::duration<double>;
  return {.n_prompt = small_integer(value.at("n_prompt"), 0),
          .n_cached = small_integer(value.at("n_cached"), 0),
          .n_generated = small_integer(value.at("n_generated"), 0),
          .n_passes = count_in(value, "n_passes"),
          .n_drafted = count_in(value, "n_drafted"),
          .n_accepted = count_in(value, "n_accepted"),
          .by_lookup = drafts_in(value, "by_lookup"),
          .by_model = drafts_in(value, "by_model"),
          .by_heads = drafts_in(value, "by_heads"),
          .ttft = Seconds{value.at("ttft").number()},
          .prefill = Seconds{value.at("prefill").number()},
          .decode = Seconds{value.at("decode").number()}};
}

sessions::Memory memory_from(const JsonCursor& value) {
  return {.n_kept = count_in(value, "kept"),
          .begin = count_in(value, "begin"),
          .n_noted = count_in(value, "noted"),
          .note = text_in(value, "note")};
}

template <class T>
T known(const std::optional<T>& value, const JsonCursor& name, std::string_view what) {
  if (value) return *value;
  name.fail(fmt::format("\"{}\" is not a {}", name.string(), what));
}

Message message_from(const JsonCursor& value, int number) {
  Message message;
  message.id = MessageId{number};
  if (const auto parent = value.find("parent")) {
    const int n = small_integer(*parent, 1);
    if (n >= number) parent->fail(fmt::format("found {}, expected a message before {}", n, number));
    message.parent = MessageId{n};
  }
  const JsonCursor role = value.at("role"), state = value.at("state");
  message.role = known(sessions::role_of(role.string()), role, "role");
  message.state = known(sessions::state_of(state.string()), state, "state");
  message.created = time_from(value.at("created"));
  message.content = text_in(value, "content");
  message.reasoning = text_in(value, "reasoning");
  if (const auto tokens = value.find("tokens"))
    for (const JsonCursor& token : tokens->elements())
      message.tokens.push_back(small_integer<std::int32_t>(token, 0));
  if (const auto begin = value.find("answer_begin"))
    message.answer_begin = small_integer(*begin, -1);
  message.tokenizer_hash = text_in(value, "tokenizer_hash");
  message.model = text_in(value, "model");
  message.sampler_json = text_in(value, "sampler");
  if (const auto stats = value.find("stats")) message.stats = stats_from(*stats);
  if (const auto attachments = value.find("attachments"))
    for (const JsonCursor& a : attachments->elements())
      message.attachments.push_back(attachment_from(a));
  if (const auto reading = value.find("reading"))
    message.reading = known(sessions::reading_of(reading->string()), *reading, "reading");
  if (const auto memory = value.find("memory")) message.memory = memory_from(*memory);
  return message;
}

ConversationTree tree_from(const JsonCursor& value) {
  ConversationTree tree;
  tree.conversation.title = text_from(value.at("title"));
  tree.conversation.title_given = value.at("title_given").boolean();
  tree.conversation.pinned = value.at("pinned").boolean();
  tree.conversation.created = time_from(value.at("created"));
  tree.conversation.updated = time_from(value.at("updated"));
  for (const JsonCursor& message : value.at("messages").elements())
    tree.messages.push_back(message_from(message, static_cast<int>(tree.messages.size()) + 1));
  if (tree.messages.empty()) value.at("messages").fail("no messages");
  const JsonCursor head = value.at("head");
  const int n = small_integer(head, 1);
  if (static_cast<std::size_t>(n) > tree.messages.size())
    head.fail(fmt::format("found {}, expected a message up to {}", n, tree.messages.size()));
  tree.conversation.head = MessageId{n};
  tree.conversation.n_messages = static_cast<int>(tree.messages.size());
  return tree;
}

}  // namespace

std::string to_json(std::span<const ConversationTree> trees) {
  std::string text =
      fmt::format("{{\"format\":\"{}\",\"version\":{},\"conversations\":[", kJsonFormat, kVersion);
  for (std::size_t i = 0; i < trees.size(); ++i)
    text += (i == 0 ? "\n" : ",\n") + tree_text(trees[i]);
  return text + "\n]}\n";
}

std::vector<ConversationTree> from_json(const JsonCursor& root) {
  const JsonCursor version = root.at("version");
  if (version.integer() != kVersion)
    version.fail(fmt::format("found {}, expected {}: the file was made by a newer confab",
                             version.integer(), kVersion));
  std::vector<ConversationTree> trees;
  for (const JsonCursor& tree : root.at("conversations").elements())
    trees.push_back(tree_from(tree));
  return trees;
}

}  // namespace confab::app
