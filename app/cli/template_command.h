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

// The template of this name, including the person's own; nullopt if no template is a command of
// this name. Throws UsageError if its file is faulty.
std::optional<PromptTemplate> called_template(std::string_view word);
// The help text above the options: what the template is for, and its arguments.
std::string about_template(const PromptTemplate& called);
// Takes the words after the command, which the chat's parser has stored as files: first the
// arguments, then a text (a word with blanks that is not a file's name), then files. The options
// then describe a question asked with this template. Throws UsageError.
void finish_template_command(const PromptTemplate& called, ChatOptions& options);

// For completions: appends the built-in templates. A person's own templates are looked up when a
// word is completed.
void append_template_shapes(const CommandShape& chat, std::vector<CommandShape>& shapes);
// The names of all templates that are commands.
std::vector<std::string> template_command_names();

// The output of `confab templates [NAME]`: a list, with what is wrong in the folder, or the file.
// Throws UsageError if there is no template of that name.
std::string templates_text(const std::string& name);

}  // namespace confab::app
