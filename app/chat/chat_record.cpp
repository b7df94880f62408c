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

// A streaming answer is written at least this often: what a power cut may cost.
constexpr std::chrono::seconds kDraftInterval{1};

constexpr const char* kBranched =
    "Another program has gone on with this conversation. Nothing is lost: what was said there and "
    "here are two branches now; /branches shows them.";

bool is_saved(const Message& message) {
  return message.id != MessageId{};
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
  try {
    f();
    if (std::exchange(failing_, false))
      notice_ = "Saving works again: all that was said above has been saved.";
  } catch (const sessions::StoreError& fault) {
    if (!std::exchange(failing_, true))
      error_ =
          fmt::format("not saved: {}; the chat goes on, and saving is tried again", fault.what());
  }
}

void ChatRecord::start_new() {
  conversation_.reset();
  created_.reset();
  head_.reset();
  unfinished_.reset();
  failing_ = false;
}

MessagePath ChatRecord::open(const sessions::Conversation& conversation) {
  MessagePath path = store_->messages(conversation.id);
  start_new();
  conversation_ = conversation.id;
  created_ = conversation.created;
  if (!path.empty()) head_ = path.back().id;
  return path;
}

// Up to the first question, so that a system prompt is never alone.
void ChatRecord::create(MessagePath& path) {
  const auto question = std::ranges::find(path, sessions::Role::user, &Message::role);
  const auto n =
      std::min<std::size_t>(static_cast<std::size_t>(question - path.begin()) + 1, path.size());
  const std::vector<sessions::NewMessage> first(path.begin(),
                                                path.begin() + static_cast<std::ptrdiff_t>(n));
  const sessions::Appended made = store_->create_conversation(first);
  conversation_ = made.conversation;
  head_ = made.message;
  const std::vector<Message> stored = store_->messages_to(made.message);
  for (std::size_t i = 0; i < stored.size(); ++i) path[i].id = stored[i].id;
  if (const auto saved = store_->conversation(made.conversation)) created_ = saved->created;
}

void ChatRecord::append(MessagePath& path, std::size_t i) {
  std::optional<MessageId> parent;
  if (i > 0) parent = path[i - 1].id;
  sessions::NewMessage message = path[i];
  const bool finish_now = path[i].stats.has_value();
  if (finish_now) message.state = MessageState::draft;
  const sessions::Appended appended =
      store_->append_message(*conversation_, parent, message, head_);
  if (appended.branched) notice_ = kBranched;
  path[i].id = appended.message;
  head_ = appended.message;
  if (!finish_now) return;
  unfinished_ = appended.message;
  write_finished(path[i]);
}

void ChatRecord::write_finished(const Message& answer) {
  store_->finish_message(answer.id, answer.state, content_of(answer),
                         answer.stats.value_or(sessions::MessageStats{}));
  unfinished_.reset();
}

void ChatRecord::show(const Message& last) {
  if (!conversation_ || !is_saved(last)) return;
  attempt([&] {
    store_->set_head(*conversation_, last.id);
    head_ = last.id;
  });
}

void ChatRecord::save(MessagePath& path) {
  attempt([&] {
    if (!conversation_ && !path.empty()) create(path);
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (!is_saved(path[i]))
        append(path, i);
      else if (unfinished_ == path[i].id)
        write_finished(path[i]);
    }
  });
  saved_ = std::chrono::steady_clock::now();
}

void ChatRecord::save_draft(const Message& draft) {
  const auto now = std::chrono::steady_clock::now();
  // While saving fails, a lock would be waited for again and again.
  if (!is_saved(draft) || failing_ || now - saved_ < kDraftInterval) return;
  saved_ = now;
  attempt([&] { store_->update_draft(draft.id, content_of(draft)); });
}

void ChatRecord::finish(MessagePath& path) {
  if (is_saved(path.back())) unfinished_ = path.back().id;
  if (!failing_) save(path);
}

void ChatRecord::save_rest(MessagePath& path) {
  if (failing_) save(path);
}

}  // namespace confab::app
