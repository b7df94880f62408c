// SPDX-License-Identifier: MIT
#include "app/chat/chat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "app/chat/context_advice.h"
#include "app/chat/convert.h"
#include "app/chat/turns.h"
#include "app/error.h"

namespace confab::app {
namespace {

using sessions::Message;
using sessions::MessageState;
using sessions::Role;

std::chrono::sys_seconds whole_seconds(sessions::Time time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}

}  // namespace

Chat::Chat(engine::ChatModel& model, sessions::Store* store, const ChatOptions& options)
    : ChatState(model, store, options), system_(options.system) {
  start_new();
}

// --- which conversation it is

void Chat::start_new(const std::optional<std::string>& system) {
  assert(!generating());
  MessagePath path;
  const std::string& prompt = system ? *system : system_;
  if (!prompt.empty()) path.push_back(new_message(Role::system, prompt));
  record_.save_rest(path_);
  record_.leave(path_);
  record_.start_new();
  path_ = std::move(path);
  begun_at_.reset();
  last_.reset();
  n_ctx_used_ = 0;
}

void Chat::open(const sessions::Conversation& conversation,
                std::optional<sessions::MessageId> last) {
  assert(!generating());
  record_.save_rest(path_);
  MessagePath path = record_.read(conversation, last);
  if (last && path.empty()) throw UserError("that branch has been deleted");
  const std::chrono::sys_seconds begun_at = whole_seconds(conversation.created);
  const int n_used = count(*model_, path, begun_at);
  const std::string model = model_of(path);
  if (conversation.id != record_.conversation() && !model.empty() && model != model_info().name)
    notice_ = fmt::format("This conversation used {}; it continues with {}. /model switches back.",
                          model, model_info().name);
  record_.leave(path_);
  record_.open(conversation, path);
  path_ = std::move(path);
  if (last) record_.show(path_.back());
  begun_at_ = begun_at;
  last_.reset();
  n_ctx_used_ = n_used;
}

void Chat::remove(sessions::ConversationId conversation) {
  assert(!generating());
  const bool is_open = record_.conversation() == conversation;
  record_.remove(conversation);
  if (!is_open) return;
  path_.clear();  // nothing of it is saved any more
  start_new();
}

void Chat::undo(int n) {
  assert(!generating());
  record_.save_rest(path_);
  MessagePath path = without_last(path_, n);
  if (shown(path).empty()) return start_new();
  const int n_used = count(path);
  record_.leave(path_);
  path_ = std::move(path);
  record_.show(path_.back());
  n_ctx_used_ = n_used;
}

// What was said goes on under another prompt, as a branch of its own.
void Chat::copy_path(MessagePath path, const std::string& system) {
  if (shown(path).empty()) return start_new(system);
  const int n_used = count(path);
  record_.leave(path_);
  path_ = std::move(path);
  record_.save(path_);
  n_ctx_used_ = n_used;
}

void Chat::set_system(const std::string& text) {
  assert(!generating());
  record_.save_rest(path_);
  MessagePath path = copied(path_, 0, text);
  if (shown(path).empty()) check_system(path);
  copy_path(std::move(path), text);
  system_ = text;
}

void Chat::forget(int n) {
  assert(!generating());
  record_.save_rest(path_);
  const std::string prompt = system();
  copy_path(copied(path_, n, prompt), prompt);
}

void Chat::use_model(engine::ChatModel& model) {
  assert(!generating());
  const int n_used = count(model, path_, begun_at_);
  model_ = &model;
  last_.reset();
  n_ctx_used_ = n_used;
}

// --- what the person asks

Message Chat::new_answer(const AnswerOptions& options) const {
  Message draft = new_message(Role::assistant, "");
  draft.state = MessageState::draft;
  draft.tokenizer_hash = model_info().tokenizer_hash;
  draft.model = model_info().name;
  draft.sampler_json = to_json(options.sampling);
  return draft;
}

engine::GenerateRequest Chat::request_for(std::vector<engine::Turn> turns,
                                          const AnswerOptions& options) const {
  const auto conversation = record_.conversation();
  return {.turns = std::move(turns),
          .sampling = options.sampling,
          .n_predict = options.n_predict,
          .reasoning_budget = options.reasoning_budget,
          .settings = template_settings(options),
          .origin = conversation ? static_cast<std::int64_t>(*conversation) : 0};
}

// The path ends with an answer that has been saved as a draft; the model is asked for it.
void Chat::start(MessagePath path, std::optional<Question> question,
                 engine::GenerateRequest request) {
  before_->question = std::move(question);
  before_->path = std::exchange(path_, std::move(path));
  last_.reset();
  try {
    answer_ = model_->generate(std::move(request));
  } catch (...) {
    take_back();
    throw;
  }
}

// The path ends with a question: an answer to it. The question is saved before anything is read.
void Chat::ask(MessagePath path, std::optional<Question> question, const AnswerOptions& options) {
  before_ = Before{{}, record_.conversation(), begun_at_, last_, n_ctx_used_, {}};
  if (!begun_at_) begun_at_ = whole_seconds(path.back().created);
  record_.save(path);
  if (!before_->conversation && record_.created()) begun_at_ = whole_seconds(*record_.created());
  engine::GenerateRequest request =
      request_for(turns_of(path, model_info().tokenizer_hash), options);
  path.push_back(new_answer(options));
  record_.save(path);
  draft_ = AnswerDraft();
  start(std::move(path), std::move(question), std::move(request));
}

void Chat::send(Question question) {
  assert(!generating());
  MessagePath path = path_;
  path.push_back(message_of(question));
  const AnswerOptions options = this->options(question.options);
  ask(std::move(path), std::move(question), options);
}

// The path up to a question. Throws UserError.
MessagePath Chat::path_to(std::optional<std::size_t> question) const {
  const std::size_t none = std::numeric_limits<std::size_t>::max() - 1;
  const std::size_t i = n_hidden(path_) + (question ? *question : question_of(none));
  return {path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(i) + 1};
}

void Chat::retry(std::optional<std::size_t> question, std::optional<AnswerOptions> options) {
  assert(!generating());
  record_.save_rest(path_);
  ask(path_to(question), {}, this->options(options));
  record_.leave(before_->path);
}

void Chat::edit(const std::string& text, std::optional<std::size_t> question) {
  assert(!generating());
  record_.save_rest(path_);
  MessagePath path = path_to(question);
  path.back() = message_of({text, path.back().attachments});
  ask(std::move(path), Question(text), options());
  record_.leave(before_->path);
}

void Chat::continue_answer() {
  assert(!generating());
  path_to({});  // throws when nothing has been asked
  if (path_.back().role != Role::assistant || !has_begun(path_.back())) return retry();
  if (path_.back().state == MessageState::done)
    throw UserError("the last answer is complete; /retry asks again");
  record_.save_rest(path_);
  MessagePath path = path_;
  Message begun = std::move(path.back());
  path.pop_back();
  engine::Turn turn = answer_turn(begun, model_info().tokenizer_hash);
  // Tokens of the answer alone are not how its reasoning was sampled.
  if (!begun.reasoning.empty() && begun.answer_begin == 0) turn.tokens.clear();
  Message draft = new_answer(options());
  draft.content = begun.content;
  draft.reasoning = begun.reasoning;
  draft.tokens = turn.tokens;
  draft.answer_begin = turn.tokens.empty() ? 0 : begun.answer_begin;
  engine::GenerateRequest request =
      request_for(turns_of(path, model_info().tokenizer_hash), options());
  request.turns.push_back(std::move(turn));
  request.continues = true;
  before_ = Before{{}, record_.conversation(), begun_at_, last_, n_ctx_used_, {}};
  path.push_back(std::move(draft));
  record_.save(path);
  draft_ = AnswerDraft(std::move(begun));
  start(std::move(path), {}, std::move(request));
  record_.leave(before_->path);
}

void Chat::summarise() {
  assert(!generating());
  if (messages().empty()) throw UserError("nothing to summarise yet");
  ask_for(SummaryRequest(turns_of(path_, model_info().tokenizer_hash), n_ctx_used_,
                         model_info().n_ctx));
}

void Chat::ask_for(SummaryRequest summary) {
  engine::GenerateRequest request = request_for(summary.turns(), options());
  request.n_predict = -1;
  answer_ = model_->generate(std::move(request));
  summary_ = std::move(summary);
}

void Chat::prepare(const Question& draft) {
  std::string prompt = prompt_of(draft);
  if (generating() || !may_fit(path_, model_info())) return;
  if (!begun_at_) begun_at_ = whole_seconds(new_message(Role::user, "").created);
  engine::GenerateRequest request =
      request_for(turns_of(path_, model_info().tokenizer_hash), options(draft.options));
  model_->prepare({.turns = std::move(request.turns),
                   .draft = std::move(prompt),
                   .settings = request.settings,
                   .origin = request.origin});
}

void Chat::stop() noexcept {
  if (generating()) model_->cancel(answer_);
}

// --- what the model says

// All as before the question was asked; it stays in the database as a branch, unless the
// conversation began with it.
std::optional<Question> Chat::take_back() {
  Before before = *std::exchange(before_, {});
  answer_ = engine::AnswerId::none;
  path_.back().state = MessageState::error;
  path_.back().stats = sessions::MessageStats{};
  record_.finish(path_);
  // Saving it may have given new ids to what it came after.
  const bool saved_again = before.conversation && before.conversation != record_.conversation();
  for (std::size_t i = 0; i < before.path.size(); ++i) {
    if (i + 2 < path_.size())
      before.path[i].id = path_[i].id;
    else if (saved_again)
      before.path[i].id = {};
  }
  if (shown(before.path).empty())
    record_.discard();
  else
    record_.show(before.path.back());
  path_ = std::move(before.path);
  begun_at_ = before.begun_at;
  last_ = std::move(before.last);
  n_ctx_used_ = before.n_ctx_used;
  return std::move(before.question);
}

template <class Delta>
void Chat::grow(const Delta& delta) {
  Message& answer = path_.back();
  draft_.take(delta, answer);
  n_ctx_used_ = draft_.n_ctx_used().value_or(n_ctx_used_);
  if (draft_.has_grown(answer)) record_.save_draft(answer);
}

void Chat::finish_answer(MessageState state, const sessions::MessageStats& stats) {
  Message& answer = path_.back();
  draft_.end(answer);
  answer.state = state;
  answer.stats = stats;
  answer_ = engine::AnswerId::none;
  before_.reset();
  record_.finish(path_);
}

Outcome Chat::take_failure(const engine::Failed& failed) {
  if (failed.prompt_too_long && before_) return {.refused = take_back()};
  finish_answer(MessageState::error, {});
  return {};
}

Outcome Chat::take(const engine::Event& event) {
  if (!generating()) return {};
  if (summary_) return take_of_summary(event);
  if (const auto* progress = std::get_if<engine::PrefillProgress>(&event)) {
    before_.reset();
    draft_.take(*progress);
    n_ctx_used_ = progress->n_done;
  } else if (const auto* thought = std::get_if<engine::ReasoningDelta>(&event)) {
    grow(*thought);
  } else if (const auto* delta = std::get_if<engine::TextDelta>(&event)) {
    grow(*delta);
  } else if (const auto* finished = std::get_if<engine::Finished>(&event)) {
    path_.back().tokens = finished->tokens;
    path_.back().answer_begin = finished->answer_begin;
    last_ = *finished;
    n_ctx_used_ = finished->n_ctx_used;
    finish_answer(to_message_state(finished->reason), to_message_stats(finished->stats));
  } else if (const auto* failed = std::get_if<engine::Failed>(&event)) {
    return take_failure(*failed);
  }
  return {};
}

Outcome Chat::take_of_summary(const engine::Event& event) {
  using engine::FinishReason;
  if (const auto* delta = std::get_if<engine::TextDelta>(&event)) {
    summary_->add(delta->text);
  } else if (const auto* finished = std::get_if<engine::Finished>(&event)) {
    answer_ = engine::AnswerId::none;
    if (finished->reason == FinishReason::context_full) {
      summarise_less();
    } else if (finished->reason == FinishReason::cancelled || summary_->text().empty()) {
      summary_.reset();
      notice_ = "No summary; the conversation is unchanged.";
    } else {
      return take_summary();
    }
  } else if (const auto* failed = std::get_if<engine::Failed>(&event)) {
    answer_ = engine::AnswerId::none;
    if (failed->prompt_too_long) {
      summarise_less();
    } else {
      summary_.reset();
      error_ = fmt::format("no summary: {}; the conversation is unchanged", failed->message);
    }
  }
  return {};
}

Outcome Chat::take_summary() {
  const std::string text = std::exchange(summary_, {})->text();
  start_new(system_with_summary(system(), text));
  return {.summary = text};
}

void Chat::summarise_less() {
  SummaryRequest summary = *std::exchange(summary_, {});
  if (summary.shorten()) return ask_for(std::move(summary));
  error_ = fmt::format(
      "no summary: the context of {} tokens is too small for one; /forget makes room; {}",
      model_info().n_ctx, larger_context(model_info()));
}

// --- for those who show it

std::string Chat::take_error() {
  return error_.empty() ? record_.take_error() : std::exchange(error_, {});
}

std::string Chat::take_notice() {
  return notice_.empty() ? record_.take_notice() : std::exchange(notice_, {});
}

}  // namespace confab::app
