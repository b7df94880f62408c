// SPDX-License-Identifier: MIT
// Scripts that complete the command line in a shell, generated from its tables. They ask the
// program itself for models, themes and conversations (app/cli/candidates.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/cli/command_shape.h"

namespace confab::app {

// For bash 3.2 and later, zsh with compinit, and fish 3.0 and later.
std::string bash_completion(std::span<const CommandShape> commands);
std::string zsh_completion(std::span<const CommandShape> commands);
std::string fish_completion(std::span<const CommandShape> commands);

// Quotes any text as one word for bash and zsh.
std::string shell_quoted(std::string_view text);

}  // namespace confab::app
