// SPDX-License-Identifier: MIT
#include "app/chat.h"

#include <cassert>
#include <utility>

#include "app/convert.h"

namespace confab::app {
namespace {

using sessions::MessageState;
using sessions::NewMessage;
using sessions::Role;

// A streaming answer is written at least this often: what a power cut may cost.
constexpr std::chrono::seconds kDraftInterval{1};

}  // namespace

Chat::Chat(engine::ChatModel& model, sessions::Store* store, const ChatOptions& options)
    : model_(model), store_(store), options_(options) {
  start_new();
}

void Chat::start_new() {
  assert(!generating_);
  system_ = options_.system;
  messages_.clear();
  conversation_.reset();
  head_.reset();
  last_.reset();
  n_ctx_used_ = 0;
}

bool Chat::is_own(const sessions::Message& message) const {
  return message.tokenizer_hash == model_.info().tokenizer_hash;
}

void Chat::open(const sessions::Conversation& conversation) {
  assert(!generating_ && store_ != nullptr);
  const std::vector<sessions::Message> stored = store_->messages(conversation.id);
  start_new();
  system_.clear();
  conversation_ = conversation.id;
  for (const sessions::Message& message : stored) {
    head_ = message.id;
    if (message.role == Role::system)
      system_ = message.content;
    else
      messages_.push_back({message.role, message.content, message.state,
                           is_own(message) ? message.tokens : std::vector<engine::Token>{},
                           message.reasoning});
  }
  if (!messages_.empty()) n_ctx_used_ = model_.count_tokens(turns());
}

void Chat::save_question(const std::string& text, std::vector<sessions::Attachment> attachments) {
  if (store_ == nullptr) return;
  NewMessage question{.role = Role::user, .content = text};
  question.attachments = std::move(attachments);
  sessions::Appended appended{};
  if (conversation_) {
    appended = store_->append_message(*conversation_, head_, question);
  } else {
    std::vector<NewMessage> first;
    if (!system_.empty()) first.push_back({.role = Role::system, .content = system_});
    first.push_back(std::move(question));
    appended = store_->create_conversation(first);
  }
  conversation_ = appended.conversation;
  head_ = appended.message;
}

void Chat::begin_answer() {
  saved_ = std::chrono::steady_clock::now();
  if (store_ == nullptr) return;
  NewMessage draft;
  draft.role = Role::assistant;
  draft.state = MessageState::draft;
  draft.tokenizer_hash = model_.info().tokenizer_hash;
  draft.model = model_.info().name;
  draft.sampler_json = to_json(options_.sampling);
  answer_ = store_->append_message(*conversation_, head_, draft).message;
  head_ = answer_;
}

void Chat::send(const std::string& text, std::vector<sessions::Attachment> attachments) {
  assert(!generating_);
  save_question(text, std::move(attachments));
  messages_.push_back({Role::user, text});
  std::vector<engine::Turn> said = turns();
  begin_answer();
  messages_.push_back({Role::assistant, "", MessageState::draft});
  last_.reset();
  generating_ = true;
  model_.generate(
      {.turns = std::move(said), .sampling = options_.sampling, .n_predict = options_.n_predict});
}

void Chat::stop() noexcept {
  if (generating_) model_.cancel();
}

// Templates want the roles to alternate: an answer that never came is left out, and questions that
// then follow each other become one.
std::vector<engine::Turn> Chat::turns() const {
  std::vector<engine::Turn> turns;
  if (!system_.empty()) turns.push_back({.message = {"system", system_}});
  for (const ChatMessage& message : messages_) {
    if (message.role == Role::assistant && message.content.empty()) continue;
    const std::string role(name_of(message.role));
    if (!turns.empty() && turns.back().message.role == role && message.role == Role::user)
      turns.back().message.content += "\n\n" + message.content;
    else
      turns.push_back(
          {.message = {role, message.content, message.reasoning}, .tokens = message.tokens});
  }
  return turns;
}

void Chat::finish_answer(MessageState state, const sessions::MessageStats& stats) {
  ChatMessage& answer = messages_.back();
  answer.state = state;
  generating_ = false;
  const auto id = std::exchange(answer_, std::nullopt);
  if (store_ != nullptr && id)
    store_->finish_message(*id, state, {answer.content, answer.reasoning, answer.tokens}, stats);
}

void Chat::save_draft() {
  const auto now = std::chrono::steady_clock::now();
  if (store_ == nullptr || !answer_ || now - saved_ < kDraftInterval) return;
  saved_ = now;  // a failure too is met once an interval
  const ChatMessage& answer = messages_.back();
  store_->update_draft(*answer_, {answer.content, answer.reasoning});
}

void Chat::take(const engine::Event& event) {
  if (!generating_) return;
  ChatMessage& answer = messages_.back();
  if (const auto* progress = std::get_if<engine::PrefillProgress>(&event)) {
    n_prompt_ = progress->n_prompt;
    n_ctx_used_ = progress->n_done;
  } else if (const auto* thought = std::get_if<engine::ReasoningDelta>(&event)) {
    answer.reasoning += thought->text;
    n_ctx_used_ = n_prompt_ + thought->n_generated;
    save_draft();
  } else if (const auto* delta = std::get_if<engine::TextDelta>(&event)) {
    answer.content += delta->text;
    n_ctx_used_ = n_prompt_ + delta->n_generated;
    save_draft();
  } else if (const auto* finished = std::get_if<engine::Finished>(&event)) {
    if (finished->answer_begin >= 0)
      answer.tokens.assign(finished->tokens.begin() + finished->answer_begin,
                           finished->tokens.end());
    last_ = *finished;
    n_ctx_used_ = finished->n_ctx_used;
    finish_answer(to_message_state(finished->reason), to_message_stats(finished->stats));
  } else if (std::holds_alternative<engine::Failed>(event)) {
    finish_answer(MessageState::error, {});
  }
}

}  // namespace confab::app
