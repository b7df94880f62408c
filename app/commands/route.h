// SPDX-License-Identifier: MIT
// /route, and the templates as commands of the chat: with which one a question is asked.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/chat/answer_loop.h"
#include "app/chat/question.h"
#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> route_commands() noexcept;

// Reads the templates, and tells what is wrong with them. Throws as Router.
void begin_routing(CommandContext& context, const ChatOptions& options);

// The question that a text is, with its files, asked with the template of its class; nullopt: the
// model has to tell the class first, and take_class() has the question then, or the template's
// model is waited for, and take_ready() has it.
std::optional<Question> routed_question(CommandContext& context, const std::string& text);
// The same of a text that a question is changed to, which may have its template's instruction in
// it. The model is not asked. question: by its number in messages(); none: the last one.
Question edited_question(CommandContext& context, const std::string& text,
                         std::optional<std::size_t> question);
// What the model has told that is of no answer.
std::optional<Question> take_class(CommandContext& context, const engine::AnswerEvent& told);
// Once, when the model that backend->awaited was has come.
std::optional<Question> take_ready(CommandContext& context) noexcept;
// The question that waits for that is asked as it is, or not at all.
void forget_class(CommandContext& context) noexcept;

// Whether a text calls a template: "/review ...", of any number of lines.
bool is_template_call(const CommandContext& context, std::string_view text) noexcept;
// Asks with it.
void run_template(CommandContext& context, const std::string& text);

// An answer has ended: where its template expects a form that it has not, that is told.
void check_form(CommandContext& context, const AnswerOutcome& outcome);

// Of another answer to a question, by its number in messages(), or to the last one: with the
// template that it was asked with, where that is known.
AnswerOptions options_of(const CommandContext& context,
                         std::optional<std::size_t> question = std::nullopt);

}  // namespace confab::app
