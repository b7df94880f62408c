// SPDX-License-Identifier: MIT
// The keys of the chat in words, from the tables that they are read by.
#pragma once

#include <string>

namespace confab::app {

// Several lines each, without a line break at the end.
std::string keys_help();
std::string line_keys_help();  // those that work in the chat line by line

}  // namespace confab::app
