// SPDX-License-Identifier: MIT
// What the model says: that part of Chat.
#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "app/chat/chat.h"
#include "app/chat/context_advice.h"
#include "app/chat/convert.h"

namespace confab::app {

using sessions::Message;
using sessions::MessageState;

void Chat::stop() noexcept {
  for (std::size_t i = 0; i < in_flight_.size(); ++i) stop(i);
}

void Chat::stop(std::size_t answer) noexcept {
  if (answer < in_flight_.size() && is_writing(answer)) model_->cancel(in_flight_[answer].id);
}

void Chat::choose(std::size_t answer) {
  assert(answer < in_flight_.size());
  chosen_ = answer;
  n_ctx_used_ = in_flight_[answer].n_ctx_used;
}

Message& Chat::message(std::size_t answer) {
  std::vector<Beside>& beside = record_.beside();
  return answer == 0 ? path_.back() : beside[beside.size() - in_flight_.size() + answer].answer;
}

// All as before the question was asked; it stays in the database as a branch, unless the
// conversation began with it.
std::optional<Question> Chat::take_back() {
  Before before = *std::exchange(before_, {});
  stop();
  for (std::size_t i = in_flight_.size(); i-- > 0;) {
    message(i).state = MessageState::error;
    message(i).stats = sessions::MessageStats{};
    record_.finish(path_, message(i));
  }
  std::erase_if(record_.beside(),
                [this](const Beside& other) { return other.at + 1 == path_.size(); });
  in_flight_.clear();
  chosen_.reset();
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
  if (!before.beside.empty()) record_.beside() = std::move(before.beside);
  begun_at_ = before.begun_at;
  last_ = std::move(before.last);
  n_ctx_used_ = before.n_ctx_used;
  return std::move(before.question);
}

void Chat::fill_context(std::size_t answer, int n_tokens) {
  in_flight_[answer].n_ctx_used = n_tokens;
  if (answer == chosen()) n_ctx_used_ = n_tokens;
}

template <class Delta>
void Chat::grow(std::size_t answer, const Delta& delta) {
  AnswerDraft& draft = in_flight_[answer].draft;
  draft.take(delta, message(answer));
  if (const auto n_used = draft.n_ctx_used()) fill_context(answer, *n_used);
  if (draft.has_grown(message(answer))) record_.save_drafts(path_);
}

Outcome Chat::finish_answer(std::size_t number, MessageState state,
                            const sessions::MessageStats& stats) {
  Message& answer = message(number);
  in_flight_[number].draft.end(answer);
  answer.state = state;
  answer.stats = stats;
  in_flight_[number].id = engine::AnswerId::none;
  before_.reset();
  record_.finish(path_, answer);
  return generating() ? Outcome{} : end_answers();
}

// The one that is chosen becomes the end of the path, in the place of the first.
Outcome Chat::end_answers() {
  const std::size_t number = chosen();
  last_ = std::move(in_flight_[number].finished);
  if (last_) n_ctx_used_ = last_->n_ctx_used;
  if (number > 0) {
    std::swap(path_.back(), message(number));
    record_.show(path_.back());
  }
  record_.forget_saved_beside();
  in_flight_.clear();
  chosen_.reset();
  return {.chosen = number};
}

Outcome Chat::take_failure(std::size_t answer, const engine::Failed& failed) {
  if (!failed.prompt_too_long || !before_) return finish_answer(answer, MessageState::error, {});
  in_flight_[answer].id = engine::AnswerId::none;
  return {.refused = take_back()};
}

Outcome Chat::take(const engine::Event& event, std::size_t answer) {
  if (answer >= in_flight_.size() || !is_writing(answer)) return {};
  if (summary_) return take_of_summary(event);
  if (const auto* progress = std::get_if<engine::PrefillProgress>(&event)) {
    before_.reset();
    in_flight_[answer].draft.take(*progress);
    fill_context(answer, progress->n_done);
  } else if (const auto* remark = std::get_if<engine::Remark>(&event)) {
    notice_ = remark->text;
  } else if (const auto* thought = std::get_if<engine::ReasoningDelta>(&event)) {
    grow(answer, *thought);
  } else if (const auto* delta = std::get_if<engine::TextDelta>(&event)) {
    grow(answer, *delta);
  } else if (const auto* finished = std::get_if<engine::Finished>(&event)) {
    message(answer).tokens = finished->tokens;
    message(answer).answer_begin = finished->answer_begin;
    in_flight_[answer].finished = *finished;
    return finish_answer(answer, to_message_state(finished->reason),
                         to_message_stats(finished->stats));
  } else if (const auto* failed = std::get_if<engine::Failed>(&event)) {
    return take_failure(answer, *failed);
  }
  return {};
}

Outcome Chat::take_of_summary(const engine::Event& event) {
  using engine::FinishReason;
  if (const auto* delta = std::get_if<engine::TextDelta>(&event)) {
    summary_->add(delta->text);
  } else if (const auto* finished = std::get_if<engine::Finished>(&event)) {
    in_flight_.clear();
    if (finished->reason == FinishReason::context_full) {
      summarise_less();
    } else if (finished->reason == FinishReason::cancelled || summary_->text().empty()) {
      summary_.reset();
      notice_ = "No summary; the conversation is unchanged.";
    } else {
      return take_summary();
    }
  } else if (const auto* failed = std::get_if<engine::Failed>(&event)) {
    in_flight_.clear();
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
