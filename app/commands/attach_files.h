// SPDX-License-Identifier: MIT
// /read, /glob, /detach, and @path in a question: the files and folders that are sent with a
// question. app/attach/reader.h reads them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> attach_commands() noexcept;

// The paths that a question names as @path or @"a path", in their order.
std::vector<std::string> mentioned_paths(std::string_view question);
// Calls `go_on` once the person has decided whether to attach the files that pasted text in the
// question names. Calls it at once if the pasted text names no files.
void decide_about_pasted(CommandContext& context, std::string_view question,
                         std::function<void()> go_on);
// Returns the question with its files: the waiting ones, which stop waiting, and those that the
// text names, each once. Files named in pasted text are skipped unless the person has allowed them.
// Throws UserError if a file cannot be read, or if a name looks like a path but no such file
// exists. A bare word after an @ that is not a file stays text, and a notice says so.
Question question_with_files(CommandContext& context, const std::string& text);

}  // namespace confab::app
