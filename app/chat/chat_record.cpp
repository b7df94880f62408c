// SPDX-License-Identifier: MIT
#include "app/chat/chat_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sessions/error.h"

namespace confab::app {
namespace {

using sessions::Message;
using sessions::MessageId;
using sessions::MessageState;

// A growing answer is written this often, so a power cut costs at most this much of it.
constexpr std::chrono::seconds kDraftInterval{1};
// How often to retry saving.
constexpr std::chrono::seconds kRetryInterval{1};
// How long another program may lock the database before the chat says so.
constexpr std::chrono::seconds kQuietLock{5};

constexpr const char* kBranched =
    "Another program has continued this conversation. Both versions are kept as branches; "
    "/branches lists them.";
constexpr const char* kSavedAgain =
    "Another program deleted this conversation. It has been saved again as shown here.";

bool is_saved(const Message& message) {
  return message.id != MessageId{};
}

bool has_question(const MessagePath& path) {
  return std::ranges::find(path, sessions::Role::user, &Message::role) != path.end();
}

sessions::AnswerContent content_of(const Message& answer) {
  return {answer.content, answer.reasoning, answer.tokens, answer.answer_begin};
}

}  // namespace

bool ChatRecord::is_writable() const {
  return store_ != nullptr && store_->read_only_reason().empty();
}

template <class F>
void ChatRecord::attempt(F f) {
  if (!is_writable()) return;
  const auto begun = std::chrono::steady_clock::now();
  try {
    f();
    failing_ = false;
    if (std::exchange(told_, false))
      notice_ = "Saving works again: everything above has been saved.";
  } catch (const sessions::StoreError& fault) {
    failed_ = std::chrono::steady_clock::now();
    if (!std::exchange(failing_, true)) failing_since_ = begun;
    const bool is_quiet =
        fault.code() == sessions::StoreError::Code::locked && failed_ - failing_since_ < kQuietLock;
    if (!is_quiet && !std::exchange(told_, true))
      error_ = fmt::format("not saved: {}; the chat continues and will keep trying", fault.what());
  }
}

std::optional<std::chrono::steady_clock::time_point> ChatRecord::retry_due() const noexcept {
  if (!failing_) return std::nullopt;
  return failed_ + kRetryInterval;
}

MessagePath ChatRecord::read(const sessions::Conversation& conversation,
                             std::optional<MessageId> last) const {
  return last ? store_->messages_to(*last) : store_->messages(conversation.id);
}

void ChatRecord::open(const sessions::Conversation& conversation, const MessagePath& path) {
  at_ = {.conversation = conversation.id, .created = conversation.created};
  if (!path.empty()) at_.head = path.back().id;
}

// Creates the conversation with everything up to the first question, so that a system prompt is
// never stored alone.
void ChatRecord::create(Place& at, MessagePath& path) {
  const auto question = std::ranges::find(path, sessions::Role::user, &Message::role);
  const auto n =
      std::min<std::size_t>(static_cast<std::size_t>(question - path.begin()) + 1, path.size());
  const std::vector<sessions::NewMessage> first(path.begin(),
                                                path.begin() + static_cast<std::ptrdiff_t>(n));
  const sessions::Appended made = store_->create_conversation(first);
  at.conversation = made.conversation;
  at.head = made.message;
  const std::vector<Message> stored = store_->messages_to(made.message);
  for (std::size_t i = 0; i < stored.size(); ++i) path[i].id = stored[i].id;
  if (const auto saved = store_->conversation(made.conversation)) at.created = saved->created;
}

void ChatRecord::append(Place& at, Message& message, std::optional<MessageId> parent) {
  sessions::NewMessage added = message;
  const bool finish_now = message.stats.has_value();
  if (finish_now) added.state = MessageState::draft;
  const sessions::Appended appended =
      store_->append_message(*at.conversation, parent, added, at.head);
  if (appended.branched) notice_ = kBranched;
  message.id = appended.message;
  at.head = appended.message;
  if (!finish_now) return;
  at.unfinished.push_back(appended.message);
  write_finished(at, message);
}

void ChatRecord::write_finished(Place& at, const Message& answer) {
  store_->finish_message(answer.id, answer.state, content_of(answer),
                         answer.stats.value_or(sessions::MessageStats{}));
  std::erase(at.unfinished, answer.id);
}

bool ChatRecord::is_gone(const Place& at) const {
  return at.conversation && !store_->conversation(*at.conversation);
}

bool ChatRecord::is_written(const Place& at, const Message& message) {
  return is_saved(message) && std::ranges::find(at.unfinished, message.id) == at.unfinished.end();
}

bool ChatRecord::is_whole(const Place& at, const MessagePath& path) {
  const auto written = [&at](const Message& message) { return is_written(at, message); };
  return at.to_mark.empty() && std::ranges::all_of(path, written) &&
         std::ranges::all_of(at.beside, written, &Beside::answer);
}

void ChatRecord::write_shown(Place& at) {
  if (!at.to_show) return;
  if (!is_gone(at)) store_->set_head(*at.conversation, *at.to_show);
  at.head = std::exchange(at.to_show, {});
}

void ChatRecord::write(Place& at, MessagePath& path) {
  if (is_whole(at, path)) return write_shown(at);
  if (is_gone(at)) {
    at = {.beside = std::move(at.beside)};  // appended messages include their reading
    for (Message& message : path) message.id = {};
    for (Beside& other : at.beside) other.answer.id = {};
    notice_ = kSavedAgain;
  }
  write_shown(at);
  if (!at.conversation) create(at, path);
  for (std::size_t i = 0; i < path.size(); ++i)
    write_message(at, path[i], i > 0 ? std::optional(path[i - 1].id) : std::nullopt);
  write_beside(at, path);
  write_readings(at, path);
}

void ChatRecord::write_readings(Place& at, const MessagePath& path) {
  for (const Message& message : path)
    if (std::ranges::find(at.to_mark, message.id) != at.to_mark.end())
      store_->set_reading(message.id, message.reading, message.memory);
  at.to_mark.clear();
}

void ChatRecord::save_reading(MessagePath& path, std::size_t message) {
  if (is_saved(path[message])) at_.to_mark.push_back(path[message].id);
  save(path);
}

void ChatRecord::write_message(Place& at, Message& message, std::optional<MessageId> parent) {
  if (!is_saved(message))
    append(at, message, parent);
  else if (!is_written(at, message))
    write_finished(at, message);
}

// Appending an answer makes it the one shown; write_shown() then restores the path's own.
void ChatRecord::write_beside(Place& at, const MessagePath& path) {
  for (Beside& other : at.beside) {
    if (!is_saved(other.answer)) at.to_show = path.back().id;
    write_message(at, other.answer, path[other.at - 1].id);
  }
  write_shown(at);
}

// The open branch stays the one that is shown.
void ChatRecord::write_left() {
  while (!left_.empty()) {
    Left& left = left_.front();
    const bool is_open = at_.conversation && left.at.conversation == at_.conversation;
    if (is_open) left.at.head = at_.head;
    write(left.at, left.path);
    if (is_open && left.at.conversation == at_.conversation && at_.head)
      store_->set_head(*at_.conversation, *at_.head);
    left_.erase(left_.begin());
  }
}

void ChatRecord::show(const Message& last) {
  if (!at_.conversation || !is_saved(last)) return;
  at_.to_show = last.id;
  attempt([this] { write_shown(at_); });
}

void ChatRecord::save(MessagePath& path) {
  attempt([&] {
    if (has_question(path)) write(at_, path);
    write_left();
  });
  saved_ = std::chrono::steady_clock::now();
}

void ChatRecord::write_draft(const Message& draft) {
  if (is_saved(draft) && draft.state == MessageState::draft)
    store_->update_draft(draft.id, content_of(draft));
}

void ChatRecord::save_drafts(const MessagePath& path) {
  const auto now = std::chrono::steady_clock::now();
  // While saving fails, each attempt would wait for the lock again.
  if (failing_ || now - saved_ < kDraftInterval) return;
  saved_ = now;
  attempt([&] {
    if (is_gone(at_)) return;
    write_draft(path.back());
    for (const Beside& other : at_.beside) write_draft(other.answer);
  });
}

void ChatRecord::finish(MessagePath& path, const Message& answer) {
  if (is_saved(answer)) at_.unfinished.push_back(answer.id);
  if (!failing_) save(path);
}

void ChatRecord::forget_saved_beside() {
  std::erase_if(at_.beside, [this](const Beside& other) {
    return !is_writable() || is_written(at_, other.answer);
  });
}

void ChatRecord::save_rest(MessagePath& path) {
  if (failing_) save(path);
}

void ChatRecord::leave(const MessagePath& path, std::vector<Beside> beside) {
  Place left = at_;
  left.beside = std::move(beside);
  const bool written = is_whole(left, path) && !left.to_show;
  if (is_writable() && has_question(path) && !written) left_.push_back({std::move(left), path});
  at_.unfinished.clear();
  at_.to_mark.clear();
  at_.to_show.reset();
}

void ChatRecord::discard() {
  if (at_.conversation) attempt([&] { store_->remove(*at_.conversation); });
  at_ = {};
}

void ChatRecord::remove(sessions::ConversationId conversation) {
  if (store_ == nullptr) return;
  store_->remove(conversation);
  std::erase_if(left_, [&](const Left& left) { return left.at.conversation == conversation; });
  if (at_.conversation == conversation) at_ = {};
}

bool ChatRecord::has_unsaved(const MessagePath& path) const {
  const auto is_unsaved = [](const Left& left) { return !is_whole(left.at, left.path); };
  return is_writable() &&
         (std::ranges::any_of(left_, is_unsaved) || (has_question(path) && !is_whole(at_, path)));
}

}  // namespace confab::app
