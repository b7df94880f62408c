// SPDX-License-Identifier: MIT
// The flags on a command line: those in the rows of app/option_table.h, and llama.cpp's -ngl.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/option_table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace confab::app {

// Adds the flags of these groups, in the order of the table, under this heading in the help (empty:
// the first one). `options` must outlive the parsing.
void add_options(CLI::App& app, ChatOptions& options, std::initializer_list<OptionGroup> groups,
                 const std::string& heading = {});

// Adds llama.cpp's -ngl, which expresses --device as a number of layers. Help does not show it.
void add_gpu_layers(CLI::App& app, ChatOptions& options);

// The names of an option that help, manual and completion show: "-t", "--threads". Does not include
// the negated form of a switch.
std::vector<std::string> shown_names(const CLI::Option& option);

// Our flag for another program's spelling of it; nullopt if it is not one. Without this, several
// letters after one dash would be parsed as bundled flags.
std::optional<std::string> our_spelling(std::string_view flag);
// The reverse: all other spellings of this flag.
std::vector<std::string> other_spellings(std::string_view flag);

}  // namespace confab::app
