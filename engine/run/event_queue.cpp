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
  delta->tokens.insert(delta->tokens.end(), more.tokens.begin(), more.tokens.end());
  if constexpr (std::is_same_v<Delta, ReasoningDelta>) delta->at_budget |= more.at_budget;
  return true;
}

// Whether `event` could be made part of the last one that waits.
bool merge(Event& last, Event& event) {
  if (last.index() != event.index()) return false;
  if (merge_text<TextDelta>(last, event) || merge_text<ReasoningDelta>(last, event)) return true;
  if (std::holds_alternative<PrefillProgress>(last) || std::holds_alternative<LoadProgress>(last)) {
    last = std::move(event);
    return true;
  }
  return false;
}

// Whether a count took the place of an older one that waits.
bool replace_count(std::deque<Event>& events, const Event& event) {
  if (!std::holds_alternative<Counted>(event)) return false;
  const auto older = std::ranges::find_if(
      events, [](const Event& waiting) { return std::holds_alternative<Counted>(waiting); });
  if (older == events.end()) return false;
  *older = event;
  return true;
}

}  // namespace

// The descriptor is set and cleared under the lock, or it could be cleared after a later push.
void EventQueue::push(Event event) {
  events_.with([&](std::deque<Event>& events) {
    if (!events.empty() && merge(events.back(), event)) return events.size();
    if (replace_count(events, event)) return events.size();
    events.push_back(std::move(event));
    if (events.size() == 1) wake_.set();
    return events.size();
  });
}

std::optional<Event> EventQueue::pop() {
  return events_.with([&](std::deque<Event>& events) -> std::optional<Event> {
    if (events.empty()) return std::nullopt;
    std::optional<Event> event = std::move(events.front());
    events.pop_front();
    if (events.empty()) wake_.clear();
    return event;
  });
}

}  // namespace confab::engine
