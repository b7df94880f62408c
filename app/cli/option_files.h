// SPDX-License-Identifier: MIT
// Options that name a file with the text of another option, and escape sequences in texts.
#pragma once

#include <string>
#include <string_view>

#include "app/options.h"

namespace confab::app {

// Reads the files that options name (-f, system_file, chat_template_file) into the options that
// they stand for, without the last line break. Then, if requested, replaces escape sequences in the
// prompt and in the reverse prompts of the command line. Throws UsageError if a file cannot be
// read, naming the option.
void read_option_files(ChatOptions& options);

// Like llama.cpp's -e: replaces \n, \r, \t, \', \", \\ and \xHH by the characters that they stand
// for. Any other backslash stays.
std::string unescaped(std::string_view text);

}  // namespace confab::app
