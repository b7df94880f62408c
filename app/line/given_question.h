// SPDX-License-Identifier: MIT
// The question that a command line asks: `confab -p TEXT FILE...`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/chat/question.h"
#include "app/options.h"

namespace confab::app {

// What is piped into standard input (see attach/standard_input.h), unless a file is called "-" and
// stands for it, then the files, then the text. Where there is no text, what is piped in is the
// text, unless the instruction of a template has no place for one. The text comes back with the
// instruction. `tell` gets a line for what is waited for, was left out, or was not read as it is.
// Throws UserError when something cannot be read.
Question read_question(const ChatOptions& options,
                       const std::function<void(std::string_view)>& tell);

}  // namespace confab::app
