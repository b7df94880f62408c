// SPDX-License-Identifier: MIT
// Using a template: its arguments, the text it makes of a question, and the options it sets.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/prompts/prompt_template.h"

namespace confab::app {

using ArgumentValues = std::map<std::string, std::string, std::less<>>;

// Takes the arguments from `words`: first every NAME=VALUE, then one word for each missing argument
// without a default, in order. Other words stay in `words`. Throws UsageError if an argument is
// missing or given twice; the message shows how to call the template, with `command` ("confab
// review" or "/review").
ArgumentValues take_arguments(const PromptTemplate& asked_with, const std::string& command,
                              std::vector<std::string>& words);
// The argument named by a NAME=VALUE word, or nullptr if the word is anything else.
const TemplateArgument* named_argument(const PromptTemplate& asked_with,
                                       std::string_view word) noexcept;
// Removes and returns the first word, with the blanks after it. Double quotes protect blanks and
// are dropped: tone="very kind". Returns "" if there is no word.
std::string take_argument_word(std::string& text);
// "/translate TO [tone=...] [TEXT]", without TEXT.
std::string usage_of(const PromptTemplate& asked_with, const std::string& command);
// Returns true if it has an argument without a default.
bool needs_arguments(const PromptTemplate& asked_with) noexcept;

// The instruction with the arguments filled in, or their defaults. The person's text goes between
// the parts (in place of each {{input}}), or after a single part. Empty if there is no instruction.
std::vector<std::string> filled(const PromptTemplate& asked_with, const ArgumentValues& values);
// The text to ask: the parts from filled() with the person's text, which may be empty.
std::string instructed(const std::vector<std::string>& parts, const std::string& text);

// Both set every option that has no setting of higher priority (app/origin.h), and return what they
// changed: "temperature 0.3".
// For a run that starts with the template.
std::vector<std::string> apply(const PromptTemplate& asked_with, ChatOptions& options);
// For one answer of a chat: leaves the model and the conversation's settings alone.
std::vector<std::string> apply(const PromptTemplate& asked_with, AnswerOptions& options);
// The model that the template names, or "".
std::string model_of(const PromptTemplate& asked_with);

}  // namespace confab::app
