// SPDX-License-Identifier: MIT
// Options that name a file with the text of another one, and escape sequences in texts.
#pragma once

#include <string>
#include <string_view>

#include "app/options.h"

namespace confab::app {

// Puts the texts of the files that the options name (-f, system_file, chat_template_file) where
// they belong, without the end of their last line; then, where that is asked for, replaces the
// escape sequences in the prompt and in the reverse prompts of the command line. Throws UsageError
// that says which option names what cannot be read.
void read_option_files(ChatOptions& options);

// As llama.cpp's -e: \n, \r, \t, \', \", \\ and \xHH are the characters that they stand for,
// another backslash is itself.
std::string unescaped(std::string_view text);

}  // namespace confab::app
