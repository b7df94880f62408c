// SPDX-License-Identifier: MIT
// What of a conversation a model reads. Whole turns, a question with what came of it, are read or
// left out; the messages themselves say which (sessions::Reading, sessions::Memory), so that the
// same branch is always the same prompt. All functions are pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sessions/conversations/message.h"

namespace confab::app {

// Messages of one turn: [begin, end). What comes before the first question is a turn of its own.
struct TurnSpan {
  std::size_t begin;
  std::size_t end;
};
// Of what was said, without the system prompt; all that follows takes messages so.
std::vector<TurnSpan> turns_in(std::span<const sessions::Message> said);

// What the last message that says so says of those before it, cut to what there is.
sessions::Memory memory_of(std::span<const sessions::Message> said);
// The message whose memory that is; said.size(): none has one.
std::size_t memory_place(std::span<const sessions::Message> said);
// For each message whether it is read. A question that is the last message is, whatever is said of
// it: it is to be answered.
std::vector<bool> is_read(std::span<const sessions::Message> said);

// A turn as the choice of what goes sees it.
struct TurnSize {
  int n_tokens = 0;
  sessions::Reading reading = sessions::Reading::usual;
};
struct WindowLimits {
  int n_fixed = 0;  // tokens that are read in any case: the system prompt, with a note
  int n_ctx = 0;
  int n_room = 0;  // tokens that are to be free
  int n_keep = 0;  // turns that begin within so many tokens are kept; -1: the first one
};
struct WindowChoice {
  std::size_t n_kept = 0;  // turns at the beginning
  std::size_t first = 0;   // of those after them, the first that is read
  bool operator==(const WindowChoice&) const = default;
};
// What is read after the next step, when turns before `first` have gone already: the oldest go, at
// least a quarter of the context at once and as many as make room, but never the last one, nor a
// pinned one. Where nothing more can go, `first` stays what it was.
WindowChoice next_step(std::span<const TurnSize> turns, std::size_t first,
                       const WindowLimits& limits);
// Tokens that are read then, with the fixed ones.
int n_read(std::span<const TurnSize> turns, const WindowChoice& choice, const WindowLimits& limits);

}  // namespace confab::app
