// SPDX-License-Identifier: MIT
// /context, /overflow, /compact and /forget: what the model reads of a conversation, and what is
// done when its context is full.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "app/chat/answer_loop.h"
#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> compact_commands() noexcept;  // /compact and /forget
std::span<const Command> context_commands() noexcept;  // /context and /overflow

// The conversation that goes on from a summary has been opened.
void tell_summary(CommandContext& context, const std::string& summary);

// An answer has ended, the only one or the chosen of n. Where the context was full it goes on with
// the oldest questions gone, or the person is asked; where little room is left, room is made. All
// of it is told.
void make_room(CommandContext& context, const AnswerOutcome& outcome, std::size_t n_answers = 1);
// The same for a conversation that was opened.
void make_room(CommandContext& context);

// What `/context pin 3` and so on do: `what` is pin, drop or restore. Throws UserError.
void change_reading(CommandContext& context, const std::string& what, std::size_t question);

}  // namespace confab::app
