// SPDX-License-Identifier: MIT
// What can stand on the command line, as the parsers have it: what completions are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace confab::app {

// The last: templates of one's own, which are commands.
enum class ValueKind { none, text, choice, file, model, theme, conversation, own_template };
// "none", "text", ...
std::string_view name_of(ValueKind kind) noexcept;

struct ValueShape {
  ValueKind kind = ValueKind::none;
  std::string name = {};                  // "FILE", as help shows it
  std::vector<std::string> choices = {};  // of a choice
};

struct OptionShape {
  std::vector<std::string> names;  // "-m", "--model"
  std::string help;
  ValueShape value = {};
};

struct CommandShape {
  std::string words;  // behind "confab": "", "list", "debug", "debug tokenize"
  std::string about;
  std::vector<OptionShape> options = {};
  std::vector<ValueShape> values = {};  // words that are no options, in their order
  bool last_repeats = false;            // there may be any number of the last of the values

  std::string last_word() const { return words.substr(words.rfind(' ') + 1); }
};

// Whether `sub` is `command` with one word more.
bool is_under(const CommandShape& sub, const CommandShape& command) noexcept;

// Appends the shape of a parser that stands behind these words, and those of its subcommands. What
// help hides is left out.
void append_shapes(const CLI::App& app, const std::string& words,
                   std::vector<CommandShape>& shapes);

}  // namespace confab::app
