// SPDX-License-Identifier: MIT
// Scripts that teach a shell to complete the command line, generated from its tables. They ask the
// program itself for models, themes and conversations (app/cli/candidates.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/cli/command_shape.h"

namespace confab::app {

// For bash from 3.2, zsh with compinit, and fish from 3.0.
std::string bash_completion(std::span<const CommandShape> commands);
std::string zsh_completion(std::span<const CommandShape> commands);
std::string fish_completion(std::span<const CommandShape> commands);

// One word for bash and zsh, whatever it has.
std::string shell_quoted(std::string_view text);

}  // namespace confab::app
