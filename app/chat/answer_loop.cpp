// SPDX-License-Identifier: MIT
#include "app/chat/answer_loop.h"

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
    if (chat_ != nullptr && chat_->answer() != event->answer) continue;
    if (auto outcome = chat_ ? take_kept(model, *event) : pass_on(model, *event)) return outcome;
  }
  return std::nullopt;
}

// The chat first.
std::optional<AnswerOutcome> AnswerLoop::take_kept(engine::ChatModel& model,
                                                   const engine::AnswerEvent& told) {
  const engine::Event& event = told.event;
  const bool summarised = chat_->summarising();
  Outcome left = chat_->take(event);
  if (summarised && (is_delta(event) || (engine::is_end(event) && chat_->generating())))
    return std::nullopt;  // what did not fit is asked for again, of less
  std::optional<AnswerOutcome> outcome = pass_on(model, told);
  if (!outcome) return std::nullopt;
  outcome->refused = std::move(left.refused);
  outcome->summarised = summarised;
  outcome->summary = std::move(left.summary);
  return outcome;
}

AnswerOutcome AnswerLoop::run(engine::ChatModel& model, const std::function<void()>& wait) {
  for (;;) {
    wait();
    if (auto outcome = take(model)) return *std::move(outcome);
  }
}

std::optional<AnswerOutcome> AnswerLoop::pass_on(engine::ChatModel& model,
                                                 const engine::AnswerEvent& told) {
  const engine::Event& event = told.event;
  if (const auto* load = std::get_if<engine::LoadProgress>(&event)) {
    sink_.progress(*load);
  } else if (const auto* prefill = std::get_if<engine::PrefillProgress>(&event)) {
    sink_.progress(*prefill);
  } else if (const auto* thought = std::get_if<engine::ReasoningDelta>(&event)) {
    sink_.reasoning(*thought);
  } else if (const auto* delta = std::get_if<engine::TextDelta>(&event)) {
    if (!sink_.text(*delta)) model.cancel(told.answer);
  } else if (const auto* failed = std::get_if<engine::Failed>(&event)) {
    return AnswerOutcome{
        .end = AnswerEnd::failed, .fault = failed->message, .too_long = failed->prompt_too_long};
  } else {
    const auto& finished = std::get<engine::Finished>(event);
    return AnswerOutcome{.end = end_of(finished.reason), .stats = finished.stats};
  }
  return std::nullopt;
}

}  // namespace confab::app
