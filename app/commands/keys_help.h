// SPDX-License-Identifier: MIT
// The keys of the chat in words, from the tables that they are read by.
#pragma once

#include <string>

namespace confab::app {

std::string keys_help();  // several lines, without a line break at the end

}  // namespace confab::app
