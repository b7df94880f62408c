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

}  // namespace

std::optional<AnswerOutcome> AnswerLoop::take(engine::ChatModel& model) {
  while (const auto event = model.next_event()) {
    if (chat_ != nullptr) {
      if (!chat_->generating()) continue;
      chat_->take(*event);
    }
    if (auto outcome = pass_on(model, *event)) return outcome;
  }
  return std::nullopt;
}

AnswerOutcome AnswerLoop::run(engine::ChatModel& model, const std::function<void()>& wait) {
  for (;;) {
    wait();
    if (auto outcome = take(model)) return *std::move(outcome);
  }
}

std::optional<AnswerOutcome> AnswerLoop::pass_on(engine::ChatModel& model,
                                                 const engine::Event& event) {
  if (const auto* load = std::get_if<engine::LoadProgress>(&event)) {
    sink_.progress(*load);
  } else if (const auto* prefill = std::get_if<engine::PrefillProgress>(&event)) {
    sink_.progress(*prefill);
  } else if (const auto* thought = std::get_if<engine::ReasoningDelta>(&event)) {
    sink_.reasoning(*thought);
  } else if (const auto* delta = std::get_if<engine::TextDelta>(&event)) {
    if (!sink_.text(*delta)) model.cancel();
  } else if (const auto* failed = std::get_if<engine::Failed>(&event)) {
    return AnswerOutcome{.end = AnswerEnd::failed, .fault = failed->message};
  } else {
    const auto& finished = std::get<engine::Finished>(event);
    return AnswerOutcome{.end = end_of(finished.reason), .stats = finished.stats};
  }
  return std::nullopt;
}

}  // namespace confab::app
