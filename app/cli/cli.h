// SPDX-License-Identifier: MIT
// The command line: turns words into options.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/cli/command_shape.h"
#include "app/cli/config.h"
#include "app/cli/parser.h"
#include "app/options.h"

namespace confab::app {

// A query from a shell's completion: app/cli/candidates.h.
struct CandidatesQuery {
  ValueKind kind;
};

using Invocation = std::variant<ChatOptions, ConversationOptions, ConfigQuery, BatchOptions,
                                BenchOptions, FitOptions, PullOptions, RemoveOptions,
                                QuantizeCommand, CacheOptions, DebugOptions, CandidatesQuery,
                                ModelsOptions, EnginesQuery, DevicesQuery, PrintAndExit>;

// words: without the program's name. defaults: from the configuration. Throws UsageError.
Invocation parse_command_line(std::vector<std::string> words, const ChatOptions& defaults);

// Everything that the command line accepts: the chat first, then each command.
std::vector<CommandShape> command_line_shapes();

}  // namespace confab::app
