// SPDX-License-Identifier: MIT
#include "engine/events/event_queue.h"

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
  if constexpr (std::is_same_v<Delta, ReasoningDelta>)
    if (more.takes_back) return false;
  delta->text += more.text;
  delta->n_generated = more.n_generated;
  delta->tokens_per_pass = more.tokens_per_pass;
  delta->tokens.insert(delta->tokens.end(), more.tokens.begin(), more.tokens.end());
  if constexpr (std::is_same_v<Delta, ReasoningDelta>) delta->at_budget |= more.at_budget;
  return true;
}

// Merges `event` into the last waiting one and returns true, if that is possible.
bool merge(Event& last, Event& event) {
  if (last.index() != event.index()) return false;
  if (merge_text<TextDelta>(last, event) || merge_text<ReasoningDelta>(last, event)) return true;
  const bool replaces =
      std::holds_alternative<PrefillProgress>(last) || std::holds_alternative<LoadProgress>(last) ||
      std::holds_alternative<Waiting>(last) || std::holds_alternative<Counted>(last);
  if (replaces) last = std::move(event);
  return replaces;
}

// The last waiting event of this answer, or nullptr.
Event* last_of(std::deque<AnswerEvent>& events, AnswerId answer) {
  const auto last = std::find_if(events.rbegin(), events.rend(), [&](const AnswerEvent& waiting) {
    return waiting.answer == answer;
  });
  return last == events.rend() ? nullptr : &last->event;
}

std::size_t n_bytes_of(const Event& event) {
  if (const auto* text = std::get_if<TextDelta>(&event)) return text->text.size();
  if (const auto* thought = std::get_if<ReasoningDelta>(&event)) return thought->text.size();
  return 0;
}

}  // namespace

// The descriptor is set and cleared under the lock. Otherwise it could be cleared after a later
// push.
void EventQueue::push(AnswerId answer, Event event) {
  events_.with([&](Events& events) {
    events.n_bytes += n_bytes_of(event);
    Event* last = last_of(events.waiting, answer);
    if (last != nullptr && merge(*last, event)) return true;
    events.waiting.push_back({answer, std::move(event)});
    if (events.waiting.size() == 1) wake_.set();
    return true;
  });
}

std::optional<AnswerEvent> EventQueue::pop() {
  return events_.with([&](Events& events) -> std::optional<AnswerEvent> {
    if (events.waiting.empty()) return std::nullopt;
    std::optional<AnswerEvent> event = std::move(events.waiting.front());
    events.waiting.pop_front();
    events.n_bytes -= n_bytes_of(event->event);
    if (events.waiting.empty()) wake_.clear();
    return event;
  });
}

std::size_t EventQueue::n_bytes() {
  return events_.with([](const Events& events) { return events.n_bytes; });
}

}  // namespace confab::engine
