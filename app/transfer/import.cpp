// SPDX-License-Identifier: MIT
#include "app/transfer/import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <filesystem>

#include "app/error.h"
#include "app/figures.h"
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

// Such lists have no dates: those stay 0.
class LinearTree {
 public:
  void add(Role role, std::string content, std::string reasoning = {}) {
    Message message;
    message.id = MessageId{static_cast<std::int64_t>(tree_.messages.size()) + 1};
    if (!tree_.messages.empty()) message.parent = tree_.messages.back().id;
    message.role = role;
    message.content = std::move(content);
    message.reasoning = std::move(reasoning);
    if (role == Role::assistant) message.model = model;
    tree_.conversation.head = message.id;
    tree_.messages.push_back(std::move(message));
  }
  bool empty() const noexcept { return tree_.messages.empty(); }
  ConversationTree take(std::string title) {
    tree_.conversation.title_given = !title.empty();
    tree_.conversation.title = std::move(title);
    return std::move(tree_);
  }

  std::string model;

 private:
  ConversationTree tree_;
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

ConversationTree from_message_object(const JsonCursor& object, LeftOut& left_out) {
  LinearTree tree;
  if (const auto model = object.find("model")) tree.model = model->string();
  if (const auto system = object.find("system")) tree.add(Role::system, content_text(*system));
  left_out.n_messages += add_messages(object.at("messages"), tree);
  const auto title = object.find("title");
  return tree.take(title ? title->string() : std::string());
}

ConversationTree from_message_list(const JsonCursor& list, LeftOut& left_out) {
  LinearTree tree;
  left_out.n_messages += add_messages(list, tree);
  if (tree.empty()) list.fail("no message to import");
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
ConversationTree from_object(const JsonCursor& object, LeftOut& left_out) {
  if (has(object, "mapping")) return from_chatgpt(object, left_out);
  if (has(object, "messages")) return from_message_object(object, left_out);
  object.fail("expected \"messages\", ChatGPT's \"mapping\", or a file exported by confab");
}

std::vector<ConversationTree> from_list(const JsonCursor& root, LeftOut& left_out) {
  const std::vector<JsonCursor> elements = root.elements();
  if (elements.empty()) root.fail("no conversations");
  if (has(elements.front(), "role")) return {from_message_list(root, left_out)};
  std::vector<ConversationTree> trees;
  for (const JsonCursor& element : elements) {
    ConversationTree tree = from_object(element, left_out);
    if (tree.messages.empty())
      ++left_out.n_conversations;
    else
      trees.push_back(std::move(tree));
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
    import.conversations = from_list(root, import.left_out);
  } else if (is_ours(root)) {
    import.conversations = from_json(root);
  } else {
    import.conversations.push_back(from_object(root, import.left_out));
    if (import.conversations.front().messages.empty()) root.fail("no message to import");
  }
  return import;
}

Import read_import(const std::string& path, bool takes_pipes) {
  const FileLimits limits{.most = kMostOfData, .takes_pipes = takes_pipes};
  const auto text = whole_file(expand_home(path), limits);
  if (!text) throw UserError(fmt::format("{}: {}", path, read_fault(errno, limits)));
  return parse_import(*text, path);
}

std::string describe_import(const std::string& path, const sessions::Imported& imported,
                            const LeftOut& left_out) {
  const std::size_t n_added = imported.added.size(), n_extended = imported.extended.size();
  std::vector<std::string> parts;
  const auto add = [&](std::size_t n, std::string_view noun, std::string_view one,
                       std::string_view many) {
    if (n > 0)
      parts.push_back(
          fmt::format("{} {}", counted(static_cast<std::int64_t>(n), noun), n == 1 ? one : many));
  };
  if (n_added == 1)
    parts.push_back(fmt::format("imported as conversation {}",
                                static_cast<std::int64_t>(imported.added.front())));
  else if (n_added > 1)
    parts.push_back(
        fmt::format("imported {} conversations", grouped(static_cast<std::int64_t>(n_added))));
  else if (n_extended == 0)
    parts.emplace_back("nothing new");
  add(n_extended, "conversation", "was there and got its new messages",
      "were there and got their new messages");
  add(imported.n_known, "conversation", "was already there", "were already there");
  const auto number = [](int n) { return static_cast<std::size_t>(n); };
  add(number(left_out.n_messages), "message", "from tools or without text was left out",
      "from tools or without text were left out");
  add(number(left_out.n_conversations), "conversation", "without any message was left out",
      "without any message were left out");
  add(number(left_out.n_orphans), "message",
      "follows one that the file does not have, and begins a branch",
      "follow others that the file does not have, and begin branches");
  return fmt::format("{}: {}", path, fmt::join(parts, "; "));
}

}  // namespace confab::app
