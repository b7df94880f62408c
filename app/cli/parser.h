// SPDX-License-Identifier: MIT
// Functions that the parsers of all commands share.
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

// Adds an option that takes a whole number in this range, or one of these words.
CLI::Option& add_count(CLI::App& app, const std::string& flags, int& value,
                       std::pair<int, int> range, const std::string& help);
CLI::Option& add_count(CLI::App& app, const std::string& flags, std::optional<int>& value,
                       std::pair<int, int> range, const std::string& help);
CLI::Option& add_choice(CLI::App& app, const std::string& flags, std::string& value,
                        std::vector<std::string> choices, const std::string& help);

// The name of an option's value, as help shows it: "N", "json|md". Empty if it takes no value.
std::string value_name(const CLI::Option& option);

// Runs the parser. Returns nullopt if the words were parsed, or the text of --help or --version.
// Accepts other programs' spellings of our flags. Throws UsageError, also for flags of other
// programs that we do not have (app/cli/wrong_turns.h).
std::optional<PrintAndExit> run_parser(CLI::App& app, std::vector<std::string> words);

// Whether a word that begins with a dash is text, such as a list item or a sum. The names of
// options contain no blanks.
bool is_text_with_dash(std::string_view word);
// Whether a word can be the value of the option before it; "-" alone can.
bool is_value(std::string_view word);

}  // namespace confab::app
