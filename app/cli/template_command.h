// SPDX-License-Identifier: MIT
// `confab NAME [ARGUMENT]... [FILE]...`, where NAME is a template, and `confab templates`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command_shape.h"
#include "app/options.h"
#include "app/prompts/prompt_template.h"

namespace confab::app {

// The template of this name, the person's own ones included; nullopt: none is a command so. Throws
// UsageError when the file of that name is wrong.
std::optional<PromptTemplate> called_template(std::string_view word);
// What help says of it, above the options: what it is for, and its arguments.
std::string about_template(const PromptTemplate& called);
// Takes the words behind the command, which the parser of the chat has taken for files: first the
// arguments, then a text, which is a word with blanks in it that is not a file's name, then files.
// The chat options are then those of a question asked with the template. Throws UsageError.
void finish_template_command(const PromptTemplate& called, ChatOptions& options);

// For completions: the built-in ones, since those of one's own are asked for when a word is
// completed.
void append_template_shapes(const CommandShape& chat, std::vector<CommandShape>& shapes);
// The names of all that are commands.
std::vector<std::string> template_command_names();

// What `confab templates [NAME]` prints: a list with what is wrong in the folder, or the file.
// Throws UsageError when there is none of that name.
std::string templates_text(const std::string& name);

}  // namespace confab::app
