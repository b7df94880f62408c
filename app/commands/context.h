// SPDX-License-Identifier: MIT
// /context, /overflow, /compact and /forget: what the model reads of a conversation, and what
// happens when its context is full.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "app/chat/answer_loop.h"
#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> compact_commands() noexcept;  // /compact and /forget
std::span<const Command> context_commands() noexcept;  // /context and /overflow

// Shows the new conversation that continues from a summary.
void tell_summary(CommandContext& context, const std::string& summary);

// Called when an answer has ended; of several answers, with the chosen one's outcome. If the
// context was full, the answer continues without the oldest questions, or the person is asked. If
// little room is left, the oldest questions go now. Each of these is reported.
void make_room(CommandContext& context, const AnswerOutcome& outcome, std::size_t n_answers = 1);
// The same, for a conversation that was just opened.
void make_room(CommandContext& context);

// Carries out `/context pin 3` and the like. `what` is pin, drop or restore. Throws UserError.
void change_reading(CommandContext& context, const std::string& what, std::size_t question);

}  // namespace confab::app
