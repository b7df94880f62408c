// SPDX-License-Identifier: MIT
// /read, /glob, /detach, and @path in a question: files and folders that go with it, read by
// app/attach/reader.h.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/command.h"

namespace confab::app {

std::span<const Command> attach_commands() noexcept;

// The paths that a question names as @path or @"a path", in order.
std::vector<std::string> mentioned_paths(std::string_view question);
// Goes on when the person has said whether the files that the question names in pasted text are to
// go with it: at once where there are none.
void decide_about_pasted(CommandContext& context, std::string_view question,
                         std::function<void()> go_on);
// With what was attached before, which is no longer waiting then, and the files that the text
// names, each once, but for those of pasted text that the person has not allowed. Throws UserError
// when one cannot be read, or is not there though it looks like a path; all is as it was then. A
// bare word behind an @ that is not a file is text, which is told.
Question question_with_files(CommandContext& context, const std::string& text);

}  // namespace confab::app
