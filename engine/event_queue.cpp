// SPDX-License-Identifier: MIT
#include "engine/event_queue.h"

#include <utility>

namespace confab::engine {
namespace {

// Whether `event` could be made part of the last one that waits.
bool merge(Event& last, Event& event) {
  if (last.index() != event.index()) return false;
  if (auto* text = std::get_if<TextDelta>(&last)) {
    const auto& more = std::get<TextDelta>(event);
    text->text += more.text;
    text->n_generated = more.n_generated;
    return true;
  }
  if (std::holds_alternative<PrefillProgress>(last)) {
    last = std::move(event);
    return true;
  }
  return false;
}

}  // namespace

// The descriptor is set and cleared under the lock, or it could be cleared after a later push.
void EventQueue::push(Event event) {
  events_.with([&](std::deque<Event>& events) {
    if (!events.empty() && merge(events.back(), event)) return events.size();
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
