// SPDX-License-Identifier: MIT
#include "engine/run/event_queue.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace confab::engine {
namespace {

template <class Delta>
bool merge_text(Event& last, const Event& event) {
  auto* delta = std::get_if<Delta>(&last);
  if (delta == nullptr) return false;
  const auto& more = std::get<Delta>(event);
  delta->text += more.text;
  delta->n_generated = more.n_generated;
  delta->tokens_per_pass = more.tokens_per_pass;
  delta->tokens.insert(delta->tokens.end(), more.tokens.begin(), more.tokens.end());
  if constexpr (std::is_same_v<Delta, ReasoningDelta>) delta->at_budget |= more.at_budget;
  return true;
}

// Whether `event` could be made part of the last one that waits.
bool merge(Event& last, Event& event) {
  if (last.index() != event.index()) return false;
  if (merge_text<TextDelta>(last, event) || merge_text<ReasoningDelta>(last, event)) return true;
  const bool replaces = std::holds_alternative<PrefillProgress>(last) ||
                        std::holds_alternative<LoadProgress>(last) ||
                        std::holds_alternative<Counted>(last);
  if (replaces) last = std::move(event);
  return replaces;
}

// The last event of this answer that waits, or nullptr.
Event* last_of(std::deque<AnswerEvent>& events, AnswerId answer) {
  const auto last = std::find_if(events.rbegin(), events.rend(), [&](const AnswerEvent& waiting) {
    return waiting.answer == answer;
  });
  return last == events.rend() ? nullptr : &last->event;
}

}  // namespace

// The descriptor is set and cleared under the lock, or it could be cleared after a later push.
void EventQueue::push(AnswerId answer, Event event) {
  events_.with([&](std::deque<AnswerEvent>& events) {
    Event* last = last_of(events, answer);
    if (last != nullptr && merge(*last, event)) return events.size();
    events.push_back({answer, std::move(event)});
    if (events.size() == 1) wake_.set();
    return events.size();
  });
}

std::optional<AnswerEvent> EventQueue::pop() {
  return events_.with([&](std::deque<AnswerEvent>& events) -> std::optional<AnswerEvent> {
    if (events.empty()) return std::nullopt;
    std::optional<AnswerEvent> event = std::move(events.front());
    events.pop_front();
    if (events.empty()) wake_.clear();
    return event;
  });
}

}  // namespace confab::engine
