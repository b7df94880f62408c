// SPDX-License-Identifier: MIT
// A template in use: its arguments, the text that it makes of a question, and the options that it
// sets.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/prompts/prompt_template.h"

namespace confab::app {

using ArgumentValues = std::map<std::string, std::string, std::less<>>;

// Takes the arguments from words that were given: NAME=VALUE of any, then of those without a
// default that are still missing, one word each in their order. What is no argument stays in
// `words`. Throws UsageError that says how the template is called, with `command` ("confab review"
// or "/review") in front: an argument is missing or there twice.
ArgumentValues take_arguments(const PromptTemplate& asked_with, const std::string& command,
                              std::vector<std::string>& words);
// The argument of a word that is NAME=VALUE; nullptr: the word is another one.
const TemplateArgument* named_argument(const PromptTemplate& asked_with,
                                       std::string_view word) noexcept;
// Takes the first word off a text, with the blanks behind it: blanks in it stand between double
// quotes, which are left out (tone="very kind"). Empty: there is none.
std::string take_argument_word(std::string& text);
// "/translate TO [tone=...] [TEXT]", without TEXT.
std::string usage_of(const PromptTemplate& asked_with, const std::string& command);
// Whether it can be used without any.
bool needs_arguments(const PromptTemplate& asked_with) noexcept;

// The instruction with the arguments in their places, or their defaults: what was asked goes
// between the parts (instead of each {{input}}), or behind the only one. Empty: no instruction.
std::vector<std::string> filled(const PromptTemplate& asked_with, const ArgumentValues& values);
// The question as it is asked: what filled() made, and what the person said, which may be empty.
std::string instructed(const std::vector<std::string>& parts, const std::string& text);

// Each sets what nothing that overrides the template has set (app/origin.h), and returns what it
// has changed: "temperature 0.3".
// For a run that begins with the template.
std::vector<std::string> apply(const PromptTemplate& asked_with, ChatOptions& options);
// For one answer of a chat: what is of its model and its conversation stays.
std::vector<std::string> apply(const PromptTemplate& asked_with, AnswerOptions& options);
// The model that it names; empty: none.
std::string model_of(const PromptTemplate& asked_with);

}  // namespace confab::app
