// SPDX-License-Identifier: MIT
#include "app/chat/answer_loop.h"

#include <algorithm>
#include <utility>

#include "app/chat/context_advice.h"

namespace confab::app {
namespace {

AnswerEnd end_of(engine::FinishReason reason) {
  switch (reason) {
    case engine::FinishReason::end_of_turn:
    case engine::FinishReason::stop_string:
      break;
    case engine::FinishReason::length:
      return AnswerEnd::length;
    case engine::FinishReason::context_full:
      return AnswerEnd::context_full;
    case engine::FinishReason::cancelled:
      return AnswerEnd::stopped;
  }
  return AnswerEnd::finished;
}

bool is_delta(const engine::Event& event) {
  return std::holds_alternative<engine::TextDelta>(event) ||
         std::holds_alternative<engine::ReasoningDelta>(event);
}

}  // namespace

std::optional<AnswerOutcome> AnswerLoop::take(engine::ChatModel& model) {
  while (const auto event = model.next_event()) {
    if (const auto* counted = std::get_if<engine::Counted>(&event->event)) {
      sink_.counted(*counted);
      continue;
    }
    if (auto outcome = chat_ ? take_kept(model, *event) : pass_on(model, *event, 0)) return outcome;
  }
  return std::nullopt;
}

// The chat takes the event before the sink does.
std::optional<AnswerOutcome> AnswerLoop::take_kept(engine::ChatModel& model,
                                                   const engine::AnswerEvent& told) {
  const auto answer = chat_->number_of(told.answer);
  if (chat_->is_note(told.answer)) {
    if (chat_->take_note(told.event)) sink_.noted();
    return std::nullopt;
  }
  if (!answer) {
    sink_.other(told);
    return std::nullopt;
  }
  const engine::Event& event = told.event;
  const bool summarised = chat_->summarising();
  Outcome left = chat_->take(event, *answer);
  if (summarised && (is_delta(event) || (engine::is_end(event) && chat_->generating())))
    return std::nullopt;  // it did not fit, and a shorter request was made
  std::optional<AnswerOutcome> outcome = pass_on(model, told, *answer);
  if (!outcome) return std::nullopt;
  outcome->refused = std::move(left.refused);
  outcome->summarised = summarised;
  outcome->summary = std::move(left.summary);
  return end(*answer, *std::move(outcome), left.chosen);
}

// Several answers end together, with the last of them.
std::optional<AnswerOutcome> AnswerLoop::end(std::size_t answer, AnswerOutcome outcome,
                                             std::size_t chosen) {
  outcome.answer = answer;
  sink_.ended(answer, outcome);
  ended_.resize(std::max(ended_.size(), std::max(answer, chosen) + 1));
  ended_[answer] = std::move(outcome);
  if (chat_->generating()) return std::nullopt;
  const std::vector<AnswerOutcome> all = std::exchange(ended_, {});
  return all[all[answer].too_long ? answer : chosen];
}

AnswerOutcome AnswerLoop::run(engine::ChatModel& model, const std::function<void()>& wait) {
  for (;;) {
    wait();
    if (auto outcome = take(model)) return *std::move(outcome);
  }
}

std::optional<AnswerOutcome> AnswerLoop::pass_on(engine::ChatModel& model,
                                                 const engine::AnswerEvent& told,
                                                 std::size_t answer) {
  const engine::Event& event = told.event;
  if (std::holds_alternative<engine::Remark>(event)) return std::nullopt;  // for the chat only
  if (const auto* waiting = std::get_if<engine::Waiting>(&event)) {
    sink_.progress(answer, *waiting);
  } else if (const auto* load = std::get_if<engine::LoadProgress>(&event)) {
    sink_.progress(answer, *load);
  } else if (const auto* prefill = std::get_if<engine::PrefillProgress>(&event)) {
    sink_.progress(answer, *prefill);
  } else if (const auto* thought = std::get_if<engine::ReasoningDelta>(&event)) {
    sink_.reasoning(answer, *thought);
  } else if (const auto* delta = std::get_if<engine::TextDelta>(&event)) {
    if (!sink_.text(answer, *delta)) model.cancel(told.answer);
  } else if (const auto* failed = std::get_if<engine::Failed>(&event)) {
    const char* advice =
        failed->shape_too_long ? "; allow more tokens with -n, in a chat with /set n" : "";
    return AnswerOutcome{.end = AnswerEnd::failed,
                         .fault = failed->message + advice,
                         .is_in_shape = !failed->shape_too_long,
                         .too_long = failed->prompt_too_long};
  } else {
    const auto& finished = std::get<engine::Finished>(event);
    return AnswerOutcome{.end = end_of(finished.reason),
                         .stats = finished.stats,
                         .is_in_shape = finished.is_in_shape};
  }
  return std::nullopt;
}

std::string end_note(AnswerEnd end, const Chat& chat) {
  if (end != AnswerEnd::context_full) return chat.unfinished_note();
  const char* way = " /overflow shift lets the oldest questions go; /continue goes on then.";
  return context_full_text(chat.model_info()) + (chat.lets_go() ? "" : way);
}

}  // namespace confab::app
