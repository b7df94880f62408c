// SPDX-License-Identifier: MIT
#include "app/transfer/markdown_format.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "app/chat/question.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using sessions::Message;
using sessions::Role;

std::string as_line(const std::string& text) {
  std::string line = ui::sanitize(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

// Every line behind "> ".
std::string quoted(const std::string& text) {
  std::string out = "> ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "> ";
  }
  return out;
}

void append_ended(std::string& out, const std::string& text) {
  out += text;
  if (text.empty() || text.back() != '\n') out += '\n';
}

}  // namespace

std::vector<const Message*> shown_path(const sessions::ConversationTree& tree) {
  std::vector<const Message*> path;
  std::optional<sessions::MessageId> wanted = tree.conversation.head;
  for (auto it = tree.messages.rbegin(); it != tree.messages.rend() && wanted; ++it) {
    if (it->id != *wanted) continue;
    path.push_back(&*it);
    wanted = it->parent;
  }
  std::ranges::reverse(path);
  return path;
}

std::string speaker(const Message& message) {
  switch (message.role) {
    case Role::user:
      return "You";
    case Role::system:
      return "System prompt";
    case Role::assistant:
      return message.model.empty() ? "Assistant" : as_line(message.model);
    case Role::tool:
      return "Tool";
  }
  return "";
}

std::string to_markdown(const sessions::ConversationTree& tree) {
  const auto created = std::chrono::floor<std::chrono::seconds>(tree.conversation.created);
  std::string out = fmt::format("# {}\n\n{:%Y-%m-%d}\n", as_line(tree.conversation.title),
                                fmt::localtime(std::chrono::system_clock::to_time_t(created)));
  for (const Message* message : shown_path(tree)) {
    out += fmt::format("\n## {}\n\n", speaker(*message));
    if (!message->reasoning.empty()) {
      append_ended(out, quoted(message->reasoning));
      out += '\n';
    }
    for (const sessions::Attachment& file : message->attachments)
      if (!file.content)
        out += fmt::format("*{}, {} bytes*\n\n", as_line(file.name), file.size_bytes);
    append_ended(out, prompt_of(*message));
  }
  return out;
}

}  // namespace confab::app
