// SPDX-License-Identifier: MIT
// The flags of a command line: those of the rows of app/option_table.h, and llama.cpp's -ngl.
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

// The flags of these groups, in the order of the table, under a heading of help (empty: the first
// one). `options` must outlive the parsing.
void add_options(CLI::App& app, ChatOptions& options, std::initializer_list<OptionGroup> groups,
                 const std::string& heading = {});

// llama.cpp's -ngl, which says as a number of layers what --device says; help does not have it.
void add_gpu_layers(CLI::App& app, ChatOptions& options);

// The names of an option that help, manual and completion show: "-t", "--threads"; not the contrary
// of a switch.
std::vector<std::string> shown_names(const CLI::Option& option);

// Other programs' spelling of one of our flags; nullopt: it is none. Those of several letters after
// one dash would be taken for bundled flags.
std::optional<std::string> our_spelling(std::string_view flag);
// The other way round: all that stand for this flag.
std::vector<std::string> other_spellings(std::string_view flag);

}  // namespace confab::app
