// SPDX-License-Identifier: MIT
#include "app/chat/message_path.h"

#include <algorithm>
#include <utility>

#include "app/error.h"

namespace confab::app {

using sessions::Message;
using sessions::Role;

Message new_message(Role role, std::string content) {
  Message message;
  message.role = role;
  message.content = std::move(content);
  message.created = std::chrono::floor<sessions::Time::duration>(std::chrono::system_clock::now());
  return message;
}

bool has_begun(const Message& answer) noexcept {
  return !answer.content.empty() || !answer.reasoning.empty();
}

std::size_t n_hidden(const MessagePath& path) noexcept {
  return !path.empty() && path.front().role == Role::system ? 1 : 0;
}

std::span<const Message> shown(const MessagePath& path) noexcept {
  return std::span(path).subspan(n_hidden(path));
}

std::size_t question_number(const MessagePath& path, std::size_t message) {
  const std::span<const Message> messages = shown(path);
  for (std::size_t i = std::min(message + 1, messages.size()); i-- > 0;)
    if (messages[i].role == Role::user) return i;
  throw UserError("nothing has been asked yet: ask something first");
}

std::string model_of(std::span<const Message> path) {
  const auto answer = std::find_if(path.rbegin(), path.rend(),
                                   [](const Message& message) { return !message.model.empty(); });
  return answer == path.rend() ? "" : answer->model;
}

MessagePath without_last(const MessagePath& path, int n) {
  const std::size_t begin = n_hidden(path);
  std::size_t end = path.size();
  for (; n > 0; --n) {
    while (end > begin && path[end - 1].role != Role::user) --end;
    if (end == begin) break;
    --end;
  }
  return {path.begin(), path.begin() + static_cast<std::ptrdiff_t>(end)};
}

namespace {

// The memory as seen from the messages after the first n.
std::optional<sessions::Memory> without_first(sessions::Memory memory, std::size_t n) {
  const auto behind = [n](int place) { return std::max(place - static_cast<int>(n), 0); };
  memory.n_kept = behind(memory.n_kept);
  memory.begin = behind(memory.begin);
  memory.n_noted = behind(memory.n_noted);
  return memory.begin > 0 ? std::optional(std::move(memory)) : std::nullopt;
}

}  // namespace

MessagePath copied(const MessagePath& path, int n_left_out, const std::string& system) {
  const std::span<const Message> messages = shown(path);
  std::size_t first = 0;
  for (; n_left_out > 0 && first < messages.size(); --n_left_out) {
    ++first;
    while (first < messages.size() && messages[first].role != Role::user) ++first;
  }
  MessagePath copy;
  if (!system.empty()) copy.push_back(new_message(Role::system, system));
  for (const Message& message : messages.subspan(first)) {
    copy.push_back(message);
    copy.back().id = {};
    if (message.memory) copy.back().memory = without_first(*message.memory, first);
  }
  return copy;
}

sessions::ConversationTree tree_of(const MessagePath& path) {
  sessions::ConversationTree tree;
  tree.messages = path;
  std::optional<sessions::MessageId> parent;
  for (std::size_t i = 0; i < tree.messages.size(); ++i) {
    tree.messages[i].id = sessions::MessageId{static_cast<std::int64_t>(i) + 1};
    tree.messages[i].parent = std::exchange(parent, tree.messages[i].id);
  }
  const sessions::Time now = new_message(Role::user, "").created;
  tree.conversation.head = parent.value_or(sessions::MessageId{});
  tree.conversation.created = path.empty() ? now : path.front().created;
  tree.conversation.updated = path.empty() ? now : path.back().created;
  tree.conversation.n_messages = static_cast<int>(path.size());
  return tree;
}

}  // namespace confab::app
