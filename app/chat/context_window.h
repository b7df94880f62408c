// SPDX-License-Identifier: MIT
// Which part of a conversation a model reads. Whole turns (a question and its answers) are read or
// left out. The messages themselves record which (sessions::Reading, sessions::Memory), so the same
// branch always gives the same prompt. All functions are pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sessions/conversations/message.h"

namespace confab::app {

// The messages of one turn: [begin, end). Messages before the first question form a turn.
struct TurnSpan {
  std::size_t begin;
  std::size_t end;
};
// All functions below take messages without the system prompt.
std::vector<TurnSpan> turns_in(std::span<const sessions::Message> said);

// The memory recorded by the last message that has one, clamped to the messages that exist.
sessions::Memory memory_of(std::span<const sessions::Message> said);
// The index of that message; said.size() if no message records a memory.
std::size_t memory_place(std::span<const sessions::Message> said);
// Whether each message is read. A question at the end is always read, because it has to be
// answered.
std::vector<bool> is_read(std::span<const sessions::Message> said);

// A turn, as needed to choose which turns leave.
struct TurnSize {
  int n_tokens = 0;
  sessions::Reading reading = sessions::Reading::usual;
};
struct WindowLimits {
  int n_fixed = 0;  // tokens that are always read: the system prompt and a note
  int n_ctx = 0;
  int n_room = 0;  // tokens to keep free
  int n_keep = 0;  // keep turns that start within this many tokens; -1 keeps the first turn
};
struct WindowChoice {
  std::size_t n_kept = 0;  // turns at the beginning
  std::size_t first = 0;   // after the kept ones, the first turn that is read
  bool operator==(const WindowChoice&) const = default;
};
// Which turns are read after the next step, if the turns before `first` have already left. The
// oldest leave, at least a quarter of the context at once and as many as it takes to make room, but
// never the last turn or a pinned one. If no more can leave, `first` is unchanged.
WindowChoice next_step(std::span<const TurnSize> turns, std::size_t first,
                       const WindowLimits& limits);
// The tokens that are then read, including the fixed ones.
int n_read(std::span<const TurnSize> turns, const WindowChoice& choice, const WindowLimits& limits);

}  // namespace confab::app
