// SPDX-License-Identifier: MIT
// The command line: words in, options out.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/options.h"

namespace confab::app {

// Nothing to do but to print this on stdout: the answer to --help or --version.
struct PrintAndExit {
  std::string text;
};

using Invocation = std::variant<ChatOptions, ConversationOptions, BenchOptions, QuantizeCommand,
                                CacheOptions, DebugOptions, PrintAndExit>;

// words: without the program's name. defaults: from the configuration. Throws UsageError.
Invocation parse_command_line(std::vector<std::string> words, const ChatOptions& defaults);

}  // namespace confab::app
