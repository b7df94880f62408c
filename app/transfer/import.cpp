// SPDX-License-Identifier: MIT
#include "app/transfer/import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "app/error.h"
#include "app/figures.h"
#include "app/paths.h"
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

// --- ChatGPT's export

// Reads seconds since 1970, with a fraction. Returns `otherwise` if there is no such number, or it
// is out of range.
sessions::Time time_in(const JsonCursor& object, std::string_view key, sessions::Time otherwise) {
  const auto value = object.find(key);
  if (!value) return otherwise;
  const double seconds = value->number();
  constexpr double kYear3000 = 32503680000.0;
  if (!(seconds >= 0 && seconds < kYear3000)) return otherwise;
  return sessions::Time{std::chrono::milliseconds(std::llround(seconds * 1000))};
}

std::string text_in(const JsonCursor& object, std::string_view key) {
  const auto value = object.find(key);
  return value && value->is_string() ? value->string() : std::string();
}

void append_paragraph(std::string& text, const std::string& more) {
  if (more.empty()) return;
  if (!text.empty()) text += "\n\n";
  text += more;
}

// A part is a string, or an object for something that was shown or spoken.
std::string shown_part(const JsonCursor& part) {
  if (part.is_string()) return part.string();
  if (!part.is_object()) return {};
  if (std::string text = text_in(part, "text"); !text.empty()) return text;
  const std::string type = text_in(part, "content_type");
  return type.find("image") != std::string::npos ? "[image]" : std::string();
}

std::string thoughts_text(const JsonCursor& content) {
  std::string text;
  if (const auto thoughts = content.find("thoughts"))
    for (const JsonCursor& thought : thoughts->elements())
      append_paragraph(text, text_in(thought, "content"));
  return text;
}

std::string shown_text(const JsonCursor& content) {
  std::string text;
  if (const auto parts = content.find("parts"))
    for (const JsonCursor& part : parts->elements()) append_paragraph(text, shown_part(part));
  else
    text = text_in(content, "text");
  if (text_in(content, "content_type") == "code" && !text.empty())
    text = fmt::format("```{}\n{}\n```", text_in(content, "language"), text);
  return text;
}

bool is_hidden(const JsonCursor& message) {
  const auto metadata = message.find("metadata");
  const auto hidden = metadata ? metadata->find("is_visually_hidden_from_conversation") : metadata;
  return hidden && hidden->boolean();
}

// Whether the message comes from a tool or goes to one.
bool is_of_tool(const JsonCursor& message, Role role) {
  const std::string recipient = text_in(message, "recipient");
  return role == Role::tool || (!recipient.empty() && recipient != "all");
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// Whether this is text about the conversation rather than part of it.
bool is_context(std::string_view content_type) {
  return content_type == "user_editable_context" || content_type == "model_editable_context" ||
         content_type == "reasoning_recap";
}

class ChatGptReader {
 public:
  ChatGptReader(const JsonCursor& conversation, LeftOut& left_out)
      : conversation_(conversation), mapping_(conversation.at("mapping")), left_out_(left_out) {
    tree_.conversation.title = text_in(conversation, "title");
    tree_.conversation.title_given = !tree_.conversation.title.empty();
    tree_.conversation.created = time_in(conversation, "create_time", {});
    tree_.conversation.updated = time_in(conversation, "update_time", tree_.conversation.created);
  }

  ConversationTree read() {
    for (const auto& [id, node] : mapping_.members()) nodes_.emplace(id, node);
    find_children();
    for (const std::string& root : roots_) read_below(root);
    for (const auto& [id, node] : nodes_) {
      if (done_.contains(id)) continue;
      ++left_out_.n_orphans;
      read_below(own_ancestor(id));
    }
    tree_.conversation.n_messages = static_cast<int>(tree_.messages.size());
    if (!tree_.messages.empty()) tree_.conversation.head = head();
    return std::move(tree_);
  }

 private:
  // A node to read, the message that it follows, and the thoughts before it.
  struct Step {
    std::string id;
    std::optional<MessageId> parent;
    std::string thoughts;
  };

  // Returns the nearest node above `id` that is its own ancestor. There must be no root above `id`.
  std::string own_ancestor(std::string id) const {
    std::set<std::string> seen;
    while (seen.insert(id).second) id = parents_.at(id);
    return id;
  }

  // Links parents and children. A node's own parent counts; if that is not in the file, the node
  // that lists it as a child does. Children are in the order in which their parents list them, then
  // all others.
  void find_children() {
    std::vector<std::pair<std::string, std::string>> listed;  // parent, child
    for (const auto& [id, node] : nodes_) {
      if (const auto parent = node.find("parent"); parent && nodes_.contains(parent->string()))
        parents_[id] = parent->string();
      if (const auto children = node.find("children"))
        for (const JsonCursor& child : children->elements())
          listed.emplace_back(id, child.string());
    }
    std::set<std::string> placed;
    for (const auto& [parent, child] : listed)
      if (nodes_.contains(child) && parents_.emplace(child, parent).first->second == parent &&
          placed.insert(child).second)
        children_[parent].push_back(child);
    for (const auto& [id, node] : nodes_) {
      const auto parent = parents_.find(id);
      if (parent == parents_.end())
        roots_.push_back(id);
      else if (!placed.contains(id))
        children_[parent->second].push_back(id);
      if (parent == parents_.end() && node.find("parent")) ++left_out_.n_orphans;
    }
  }

  void read_below(const std::string& root) {
    std::vector<Step> todo{{root, std::nullopt, {}}};
    while (!todo.empty()) {
      Step step = std::move(todo.back());
      todo.pop_back();
      if (!done_.insert(step.id).second) continue;
      if (const auto message = nodes_.at(step.id).find("message")) read_message(*message, step);
      if (step.parent) kept_[step.id] = *step.parent;
      const auto children = children_.find(step.id);
      if (children == children_.end()) continue;
      for (auto id = children->second.rbegin(); id != children->second.rend(); ++id)
        todo.push_back({*id, step.parent, step.thoughts});
    }
  }

  // Adds the message unless it is not shown. Sets `next` to what its children follow.
  void read_message(const JsonCursor& message, Step& next) {
    const std::string role_name = message.at("author").at("role").string();
    const auto role = sessions::role_of(role_name);
    if (!role) message.at("author").at("role").fail(fmt::format("\"{}\" is not a role", role_name));
    const auto content = message.find("content");
    if (!content || is_hidden(message)) return;
    if (is_of_tool(message, *role)) {
      left_out_.n_messages += is_blank(shown_text(*content)) ? 0 : 1;
      return;
    }
    const std::string type = text_in(*content, "content_type");
    if (type == "thoughts") return append_paragraph(next.thoughts, thoughts_text(*content));
    std::string text = is_context(type) ? std::string() : shown_text(*content);
    if (is_blank(text)) return;
    add(message, *role, std::move(text), next);
  }

  void add(const JsonCursor& message, Role role, std::string text, Step& next) {
    Message out;
    out.id = MessageId{static_cast<std::int64_t>(tree_.messages.size()) + 1};
    out.parent = next.parent;
    out.role = role;
    out.content = std::move(text);
    out.created = time_in(message, "create_time", tree_.conversation.created);
    if (role == Role::assistant) {
      out.reasoning = std::exchange(next.thoughts, {});
      if (const auto metadata = message.find("metadata"))
        out.model = text_in(*metadata, "model_slug");
    }
    next.parent = out.id;
    tree_.messages.push_back(std::move(out));
  }

  // The current node's message, or the last one kept before it.
  MessageId head() const {
    const auto it = kept_.find(text_in(conversation_, "current_node"));
    return it != kept_.end() ? it->second : tree_.messages.back().id;
  }

  JsonCursor conversation_;
  JsonCursor mapping_;
  LeftOut& left_out_;
  ConversationTree tree_;
  std::map<std::string, JsonCursor> nodes_;
  std::map<std::string, std::string> parents_;
  std::vector<std::string> roots_;
  std::map<std::string, std::vector<std::string>> children_;
  std::set<std::string> done_;
  std::map<std::string, MessageId> kept_;  // the last message kept on the path to a node
};

// --- message lists

// Parts other than text (images, audio) cannot be kept and become a note: "[image_url]".
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

// Removes the reasoning from the beginning of an answer, where programs leave it that do not
// separate the two. Returns it.
std::string split_reasoning(std::string& answer) {
  const engine::ReasoningFormat* format = engine::find_reasoning_format("<think>");
  engine::ReasoningStream stream(format, false);
  std::string reasoning, rest;
  stream.push(answer, reasoning, rest);
  stream.finish(reasoning, rest);
  if (!reasoning.empty()) answer = std::move(rest);
  return reasoning;
}

// Builds a conversation from a list, without dates: they stay 0.
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

// Returns how many messages were left out.
int add_messages(const JsonCursor& list, LinearTree& tree) {
  int n_left_out = 0;
  for (const JsonCursor& item : list.elements()) {
    const Role role = role_from(item.at("role"));
    const auto content = item.find("content");  // null: an answer that only calls tools
    std::string text = content ? content_text(*content) : std::string();
    std::string reasoning;
    for (const char* key : {"reasoning_content", "thinking"})  // the names of llama.cpp and Ollama
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

// --- choosing the format

bool has(const JsonCursor& value, std::string_view key) {
  return value.is_object() && value.find(key).has_value();
}

bool is_ours(const JsonCursor& root) {
  if (!root.is_object()) return false;
  const auto format = root.find("format");
  return format && format->is_string() && format->string() == kJsonFormat;
}

// Reads one conversation, alone or as an element of a list.
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

ConversationTree from_chatgpt(const JsonCursor& conversation, LeftOut& left_out) {
  return ChatGptReader(conversation, left_out).read();
}

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
