// SPDX-License-Identifier: MIT
#include "app/transfer/chatgpt_format.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <unordered_set>
#include <utility>

namespace confab::app {
namespace {

using sessions::ConversationTree;
using sessions::Message;
using sessions::MessageId;
using sessions::Role;

// Seconds since 1970 with a fraction; what is none, or is not in this age, is `otherwise`.
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

// A part is a string, or an object for what was shown or spoken.
std::string part_text(const JsonCursor& part) {
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
    for (const JsonCursor& part : parts->elements()) append_paragraph(text, part_text(part));
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

// What a tool said, or is told.
bool is_of_tool(const JsonCursor& message, Role role) {
  const std::string recipient = text_in(message, "recipient");
  return role == Role::tool || (!recipient.empty() && recipient != "all");
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// Texts about the conversation instead of in it.
bool is_context(std::string_view content_type) {
  return content_type == "user_editable_context" || content_type == "model_editable_context" ||
         content_type == "reasoning_recap";
}

class Reader {
 public:
  Reader(const JsonCursor& conversation, int& n_left_out)
      : conversation_(conversation), mapping_(conversation.at("mapping")), n_left_out_(n_left_out) {
    tree_.conversation.title = text_in(conversation, "title");
    tree_.conversation.title_given = !tree_.conversation.title.empty();
    const auto now = std::chrono::floor<sessions::Time::duration>(std::chrono::system_clock::now());
    tree_.conversation.created = time_in(conversation, "create_time", now);
    tree_.conversation.updated = time_in(conversation, "update_time", tree_.conversation.created);
  }

  ConversationTree read() {
    for (const auto& [id, node] : mapping_.members()) {
      nodes_.emplace(id, node);
      if (!node.find("parent")) todo_.push_back({id, std::nullopt, {}});
    }
    while (!todo_.empty()) {
      const Step step = std::move(todo_.back());
      todo_.pop_back();
      if (done_.insert(step.id).second) visit(step);
    }
    tree_.conversation.n_messages = static_cast<int>(tree_.messages.size());
    if (!tree_.messages.empty()) tree_.conversation.head = head();
    return std::move(tree_);
  }

 private:
  // A node to read: below which message, and after which thoughts.
  struct Step {
    std::string id;
    std::optional<MessageId> parent;
    std::string thoughts;
  };

  void visit(const Step& step) {
    const JsonCursor node = nodes_.at(step.id);
    Step next = step;
    if (const auto message = node.find("message")) read_message(*message, next);
    if (next.parent) kept_[step.id] = *next.parent;
    const auto children = node.find("children");
    if (!children) return;
    const std::vector<JsonCursor> ids = children->elements();
    for (auto it = ids.rbegin(); it != ids.rend(); ++it) {
      next.id = it->string();
      if (nodes_.count(next.id) == 0)
        it->fail(fmt::format("\"{}\" is not in the mapping", next.id));
      todo_.push_back(next);
    }
  }

  // Adds the message, unless it is not shown; next is then what its children come after.
  void read_message(const JsonCursor& message, Step& next) {
    const std::string role_name = message.at("author").at("role").string();
    const auto role = sessions::role_of(role_name);
    if (!role) message.at("author").at("role").fail(fmt::format("\"{}\" is not a role", role_name));
    const auto content = message.find("content");
    if (!content || is_hidden(message)) return;
    if (is_of_tool(message, *role)) {
      n_left_out_ += is_blank(shown_text(*content)) ? 0 : 1;
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

  // The current node, or what was kept before it.
  MessageId head() const {
    const auto it = kept_.find(text_in(conversation_, "current_node"));
    return it != kept_.end() ? it->second : tree_.messages.back().id;
  }

  JsonCursor conversation_;
  JsonCursor mapping_;
  int& n_left_out_;
  ConversationTree tree_;
  std::map<std::string, JsonCursor> nodes_;
  std::vector<Step> todo_;
  std::unordered_set<std::string> done_;
  std::map<std::string, MessageId> kept_;  // the last message that was kept on the way to a node
};

}  // namespace

ConversationTree from_chatgpt(const JsonCursor& conversation, int& n_left_out) {
  return Reader(conversation, n_left_out).read();
}

}  // namespace confab::app
