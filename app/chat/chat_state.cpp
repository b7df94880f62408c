// SPDX-License-Identifier: MIT
#include "app/chat/chat_state.h"

#include <utility>

#include "app/chat/turns.h"

namespace confab::app {
namespace {

using sessions::Message;

std::size_t n_bytes(const Message& answer) {
  return answer.content.size() + answer.reasoning.size();
}

}  // namespace

// The repeated tokens of an answer come before this event and are part of the prompt.
void AnswerDraft::take(const engine::PrefillProgress& progress) noexcept {
  n_prompt_ = progress.n_prompt - n_retold_;
}

void AnswerDraft::take(const engine::ReasoningDelta& delta, Message& answer) {
  grow(answer, delta.tokens);
  engine::append(delta, answer.reasoning, answer.content);
  answer.answer_begin = answer.reasoning.empty() ? 0 : -1;
  count(delta.n_generated);
}

void AnswerDraft::take(const engine::TextDelta& delta, Message& answer) {
  grow(answer, delta.tokens);
  answer.content += delta.text;
  answer.answer_begin = answer.reasoning.empty() ? 0 : -1;
  count(delta.n_generated);
}

// Finished reports where the answer starts among the tokens.
void AnswerDraft::grow(Message& answer, const std::vector<engine::Token>& tokens) {
  if (begun_ && !std::exchange(retold_, true)) {
    answer.content.clear();
    answer.reasoning.clear();
    answer.tokens.clear();
  }
  answer.tokens.insert(answer.tokens.end(), tokens.begin(), tokens.end());
}

void AnswerDraft::count(int n_generated) noexcept {
  counts_ = !begun_ || n_prompt_ > 0;
  (counts_ ? n_told_ : n_retold_) = n_generated;
}

std::optional<int> AnswerDraft::n_ctx_used() const noexcept {
  return counts_ ? std::optional(n_prompt_ + n_told_) : std::nullopt;
}

bool AnswerDraft::has_grown(const Message& answer) const noexcept {
  return !begun_ || n_bytes(answer) >= n_bytes(*begun_);
}

void AnswerDraft::end(Message& answer) {
  if (!has_grown(answer)) {
    answer.content = begun_->content;
    answer.reasoning = begun_->reasoning;
    answer.tokens = begun_->tokens;
    answer.answer_begin = begun_->answer_begin;
    answer.tokenizer_hash = begun_->tokenizer_hash;
  }
  begun_.reset();
}

using sessions::Message;
using sessions::MessageState;
using sessions::Role;

const Message& ChatState::answer(std::size_t i) const {
  if (i == 0) return path_.back();
  // The answers in progress come after older ones that could not be saved.
  const std::vector<Beside>& beside = record_.beside();
  return beside[beside.size() - in_flight_.size() + i].answer;
}

std::size_t ChatState::chosen() const {
  if (chosen_) return *chosen_;
  for (std::size_t i = 0; i < in_flight_.size() && !summary_; ++i)
    if (answer(i).state != MessageState::error) return i;
  return 0;
}

std::optional<std::size_t> ChatState::number_of(engine::AnswerId answer) const noexcept {
  const auto found = std::ranges::find(in_flight_, answer, &AnswerInFlight::id);
  if (answer == engine::AnswerId::none || found == in_flight_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - in_flight_.begin());
}

std::string ChatState::system() const {
  return n_hidden(path_) > 0 ? path_.front().content : std::string();
}

// With a reasoning budget of 0, a template that can turn reasoning off does so; otherwise the
// engine has to close it.
engine::TemplateSettings ChatState::template_settings(
    const AnswerOptions& options, const engine::ModelInfo& model,
    std::optional<std::chrono::sys_seconds> begun_at) {
  engine::TemplateSettings settings{.now = begun_at, .thinking = options.thinking};
  if (options.reasoning_budget == 0 && model.can_switch_thinking) settings.thinking = false;
  return settings;
}

bool ChatState::may_fit(const MessagePath& path, const engine::ModelInfo& model) {
  constexpr std::size_t kBytesPerToken = 16;  // about 4 in prose
  const std::vector<bool> reads = is_read(shown(path));
  std::size_t n = 0;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const Message& message = shown(path)[i];
    if (!reads[i]) continue;
    n += message.content.size();
    for (const sessions::Attachment& file : message.attachments) n += file.size_bytes;
  }
  return n / kBytesPerToken < static_cast<std::size_t>(model.n_ctx);
}

int ChatState::count(const engine::ChatModel& model, const MessagePath& path,
                     std::optional<std::chrono::sys_seconds> begun_at) const {
  const std::vector<bool> reads = is_read(shown(path));
  if (std::ranges::find(reads, true) == reads.end()) return 0;
  if (!may_fit(path, model.info())) return model.info().n_ctx;
  return model.count_tokens(turns_of(path, model.info().tokenizer_hash),
                            template_settings(options_, model.info(), begun_at));
}

void ChatState::check_system(const MessagePath& path) const {
  MessagePath asked = path;
  asked.push_back(new_message(Role::user, "?"));
  count(asked);
}

std::string ChatState::prompt_text() const {
  return model_->prompt_text(turns_of(path_, model_info().tokenizer_hash),
                             template_settings(options_));
}

engine::GenerateRequest ChatState::request_with(const Question& question) const {
  MessagePath path = path_;
  path.push_back(message_of(question));
  const AnswerOptions answered_with = options(question.options);
  return {.turns = turns_of(path, model_info().tokenizer_hash),
          .sampling = answered_with.sampling,
          .n_predict = answered_with.n_predict,
          .reasoning_budget = answered_with.reasoning_budget,
          .settings = template_settings(answered_with)};
}

void ChatState::count_with(const Question& question, std::uint64_t number) const {
  engine::GenerateRequest asked = request_with(question);
  model_->count(
      {.number = number, .turns = std::move(asked.turns), .settings = std::move(asked.settings)});
}

std::string ChatState::unfinished_note() const {
  if (messages().empty() || generating()) return {};
  const Message& last = messages().back();
  if (last.role == Role::user || (last.role == Role::assistant && !has_begun(last)))
    return "(the last question has no answer yet; /continue answers it)";
  if (last.role != Role::assistant || last.state == MessageState::done) return {};
  if (last.state == MessageState::draft) return "(this answer was cut off; /continue continues it)";
  return "(this answer was stopped; /continue continues it)";
}

}  // namespace confab::app
