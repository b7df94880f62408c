// SPDX-License-Identifier: MIT
// Carries events from the engine's threads to the thread that shows them.
//
// The queue is bounded without blocking and without loss. New text is appended to text that is
// waiting, and new progress and counts replace waiting ones. So at most one event of each kind
// waits for each answer, however slow the reader is.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "engine/api/chat_model.h"
#include "engine/locked.h"
#include "engine/platform/wake_fd.h"

namespace confab::engine {

// Thread-safe: any thread may push and pop.
class EventQueue {
 public:
  void push(AnswerId answer, Event event);
  std::optional<AnswerEvent> pop();  // nullopt if there is none now
  // Bytes of text waiting in the queue.
  std::size_t n_bytes();
  // Readable exactly while there are events.
  int wake_fd() const noexcept { return wake_.fd(); }

 private:
  struct Events {
    std::deque<AnswerEvent> waiting;
    std::size_t n_bytes = 0;
  };
  Locked<Events> events_;
  platform::WakeFd wake_;
};

// Sends the events of one answer. The queue must outlive it.
class AnswerEvents {
 public:
  AnswerEvents(EventQueue& queue, AnswerId answer) : queue_(queue), answer_(answer) {}
  void push(Event event) const { queue_.push(answer_, std::move(event)); }

 private:
  EventQueue& queue_;
  AnswerId answer_;
};

}  // namespace confab::engine
