// SPDX-License-Identifier: MIT
// What the parts of the command line share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace confab::app {

// The answer to --help or --version: the program prints this on stdout and exits.
struct PrintAndExit {
  std::string text;
};

// An option that takes a whole number in this range, or one of these words.
CLI::Option& add_count(CLI::App& app, const std::string& flags, int& value,
                       std::pair<int, int> range, const std::string& help);
CLI::Option& add_count(CLI::App& app, const std::string& flags, std::optional<int>& value,
                       std::pair<int, int> range, const std::string& help);
CLI::Option& add_choice(CLI::App& app, const std::string& flags, std::string& value,
                        std::vector<std::string> choices, const std::string& help);

// The name of an option's value, as help shows it: "N", "json|md". Empty: it takes none.
std::string value_name(const CLI::Option& option);

// Runs the parser; nullopt: parsed. Takes other programs' spellings of its flags too. Help and
// version come back as text. Throws UsageError, for flags of other programs too
// (app/cli/wrong_turns.h).
std::optional<PrintAndExit> run_parser(CLI::App& app, std::vector<std::string> words);

// Whether a word that begins with a dash is a text, as a list item or a sum: no option has a blank
// in its name.
bool is_text_with_dash(std::string_view word);
// Whether a word can be the value of the option before it: "-" alone is one.
bool is_value(std::string_view word);

}  // namespace confab::app
