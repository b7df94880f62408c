// SPDX-License-Identifier: MIT
// /route, and the templates as commands of the chat: which template a question is asked with.
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

// Reads the templates and reports their errors. Throws like Router.
void begin_routing(CommandContext& context, const ChatOptions& options);

// Makes a question of the text, with its files and the template of its class. Returns nullopt if
// the question has to wait: take_class() returns it once the model has said the class, take_ready()
// once the template's model has loaded.
std::optional<Question> routed_question(CommandContext& context, const std::string& text);
// The same for a text that replaces a question, which may contain its template's instruction. Does
// not ask the model for the class. `question` is an index into messages(); nullopt means the last
// one.
Question edited_question(CommandContext& context, const std::string& text,
                         std::optional<std::size_t> question);
// Takes an event that belongs to no answer. Returns the waiting question once its class is known.
std::optional<Question> take_class(CommandContext& context, const engine::AnswerEvent& told);
// Returns the question that waited for a model, once, after backend->awaited has loaded.
std::optional<Question> take_ready(CommandContext& context) noexcept;
// Cancels asking the model for a class.
void forget_class(CommandContext& context) noexcept;

// Returns true if the text calls a template: "/review ...", on any number of lines.
bool is_template_call(const CommandContext& context, std::string_view text) noexcept;
// Asks with the template that the text calls.
void run_template(CommandContext& context, const std::string& text);

// Called when an answer has ended. Reports an answer that lacks the form that its template expects.
void check_form(CommandContext& context, const AnswerOutcome& outcome);

// The options for another answer to a question (an index into messages(); nullopt means the last
// one). They include its template's settings if the template is known.
AnswerOptions options_of(const CommandContext& context,
                         std::optional<std::size_t> question = std::nullopt);

}  // namespace confab::app
