// SPDX-License-Identifier: MIT
#include "app/transfer/import.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/error.h"
#include "app/paths.h"
#include "app/transfer/chatgpt_format.h"
#include "app/transfer/json_cursor.h"
#include "app/transfer/json_format.h"
#include "app/whole_file.h"
#include "engine/prompt/reasoning_stream.h"

namespace confab::app {
namespace {

using sessions::ConversationTree;
using sessions::Message;
using sessions::MessageId;
using sessions::Role;

sessions::Time now() {
  return std::chrono::floor<sessions::Time::duration>(std::chrono::system_clock::now());
}

// --- message lists

// Parts that are no text (images, audio) cannot be kept: "[image_url]".
std::string part_text(const JsonCursor& part) {
  if (part.is_string()) return part.string();
  if (const auto text = part.find("text")) return text->string();
  const auto type = part.find("type");
  return fmt::format("[{}]", type ? type->string() : "attachment");
}

std::string content_text(const JsonCursor& content) {
  if (!content.is_array()) return content.string();
  std::string text;
  for (const JsonCursor& part : content.elements()) {
    if (!text.empty()) text += '\n';
    text += part_text(part);
  }
  return text;
}

Role role_from(const JsonCursor& value) {
  const std::string name = value.string();
  if (name == "developer") return Role::system;
  if (const auto role = sessions::role_of(name)) return *role;
  value.fail(fmt::format("\"{}\" is not a role; expected system, user, assistant or tool", name));
}

// Takes the reasoning off the beginning of an answer, where programs that do not tell the two apart
// leave it.
std::string split_reasoning(std::string& answer) {
  const engine::ReasoningFormat* format = engine::find_reasoning_format("<think>");
  engine::ReasoningStream stream(format, false);
  std::string reasoning, rest;
  stream.push(answer, reasoning, rest);
  stream.finish(reasoning, rest);
  if (!reasoning.empty()) answer = std::move(rest);
  return reasoning;
}

class LinearTree {
 public:
  void add(Role role, std::string content, std::string reasoning = {}) {
    Message message;
    message.id = MessageId{static_cast<std::int64_t>(tree_.messages.size()) + 1};
    if (!tree_.messages.empty()) message.parent = tree_.messages.back().id;
    message.role = role;
    message.content = std::move(content);
    message.reasoning = std::move(reasoning);
    message.created = time_;
    if (role == Role::assistant) message.model = model;
    tree_.conversation.head = message.id;
    tree_.messages.push_back(std::move(message));
  }
  bool empty() const noexcept { return tree_.messages.empty(); }
  ConversationTree take(std::string title) {
    tree_.conversation.title_given = !title.empty();
    tree_.conversation.title = std::move(title);
    tree_.conversation.created = tree_.conversation.updated = time_;
    return std::move(tree_);
  }

  std::string model;

 private:
  ConversationTree tree_;
  sessions::Time time_ = now();
};

// Returns how many are left out.
int add_messages(const JsonCursor& list, LinearTree& tree) {
  int n_left_out = 0;
  for (const JsonCursor& item : list.elements()) {
    const Role role = role_from(item.at("role"));
    const auto content = item.find("content");  // null: an answer that only calls tools
    std::string text = content ? content_text(*content) : std::string();
    std::string reasoning;
    for (const char* key : {"reasoning_content", "thinking"})  // llama.cpp's and Ollama's name
      if (const auto thought = item.find(key)) reasoning = thought->string();
    if (role == Role::assistant && reasoning.empty()) reasoning = split_reasoning(text);
    const bool says_nothing = text.empty() && reasoning.empty();
    if (role == Role::tool || (role == Role::assistant && says_nothing))
      ++n_left_out;
    else
      tree.add(role, std::move(text), std::move(reasoning));
  }
  return n_left_out;
}

ConversationTree from_message_object(const JsonCursor& object, int& n_left_out) {
  LinearTree tree;
  if (const auto model = object.find("model")) tree.model = model->string();
  if (const auto system = object.find("system")) tree.add(Role::system, content_text(*system));
  n_left_out += add_messages(object.at("messages"), tree);
  if (tree.empty()) object.at("messages").fail("no messages");
  const auto title = object.find("title");
  return tree.take(title ? title->string() : std::string());
}

ConversationTree from_message_list(const JsonCursor& list, int& n_left_out) {
  LinearTree tree;
  n_left_out += add_messages(list, tree);
  if (tree.empty()) list.fail("no messages");
  return tree.take({});
}

// --- which of them it is

bool has(const JsonCursor& value, std::string_view key) {
  return value.is_object() && value.find(key).has_value();
}

bool is_ours(const JsonCursor& root) {
  if (!root.is_object()) return false;
  const auto format = root.find("format");
  return format && format->is_string() && format->string() == kJsonFormat;
}

// One conversation, alone or as an element of a list.
ConversationTree from_object(const JsonCursor& object, int& n_left_out) {
  if (has(object, "mapping")) return from_chatgpt(object, n_left_out);
  if (has(object, "messages")) return from_message_object(object, n_left_out);
  object.fail("expected \"messages\", ChatGPT's \"mapping\", or a file exported by confab");
}

std::vector<ConversationTree> from_list(const JsonCursor& root, int& n_left_out) {
  const std::vector<JsonCursor> elements = root.elements();
  if (elements.empty()) root.fail("no conversations");
  if (has(elements.front(), "role")) return {from_message_list(root, n_left_out)};
  std::vector<ConversationTree> trees;
  for (const JsonCursor& element : elements) {
    ConversationTree tree = from_object(element, n_left_out);
    if (!tree.messages.empty()) trees.push_back(std::move(tree));
  }
  if (trees.empty()) root.fail("no conversation has a message to import");
  return trees;
}

}  // namespace

Import parse_import(const std::string& text, const std::string& name) {
  const JsonDocument document(text, name);
  const JsonCursor root = document.root();
  Import import;
  if (root.is_array()) {
    import.conversations = from_list(root, import.n_left_out);
  } else if (is_ours(root)) {
    import.conversations = from_json(root);
  } else {
    import.conversations.push_back(from_object(root, import.n_left_out));
    if (import.conversations.front().messages.empty()) root.fail("no message to import");
  }
  return import;
}

Import read_import(const std::string& path) {
  const auto text = whole_file(expand_home(path));
  if (!text) {
    const bool is_folder = errno == EISDIR;
    throw UserError(fmt::format("{}: {}", path,
                                is_folder ? "is a directory; give files" : std::strerror(errno)));
  }
  return parse_import(*text, path);
}

std::string describe_import(const std::string& path, std::span<const sessions::ConversationId> ids,
                            int n_left_out) {
  std::string text = ids.size() == 1
                         ? fmt::format("{}: imported as conversation {}", path,
                                       static_cast<std::int64_t>(ids.front()))
                         : fmt::format("{}: imported {} conversations", path, ids.size());
  if (n_left_out > 0)
    text += fmt::format("; {} from tools or without text {} left out",
                        n_left_out == 1 ? "one message" : fmt::format("{} messages", n_left_out),
                        n_left_out == 1 ? "was" : "were");
  return text;
}

}  // namespace confab::app
