// SPDX-License-Identifier: MIT
// /read, /glob, and @path in a question: files that go with it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/commands.h"

namespace confab::app {

std::span<const Command> attach_commands() noexcept;

// The paths that a question names as @path or @"a path", in order.
std::vector<std::string> mentioned_paths(std::string_view question);
// What goes with a question: what was attached before, which is no longer waiting then, and the
// files that it names. A path that is no file is told to the console and left as text.
std::vector<sessions::Attachment> attachments_for(CommandContext& context,
                                                  std::string_view question);

}  // namespace confab::app
