// SPDX-License-Identifier: MIT
// The shape of the command line, taken from its parsers. Completions are made from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace confab::app {

// own_template: the person's own templates, which are commands.
enum class ValueKind { none, text, choice, file, model, theme, conversation, own_template };
// Returns "none", "text", ...
std::string_view name_of(ValueKind kind) noexcept;

struct ValueShape {
  ValueKind kind = ValueKind::none;
  std::string name = {};                  // "FILE", as help shows it
  std::vector<std::string> choices = {};  // values of a choice
};

struct OptionShape {
  std::vector<std::string> names;  // "-m", "--model"
  std::string help;
  ValueShape value = {};
};

struct CommandShape {
  std::string words;  // after "confab": "", "list", "debug", "debug tokenize"
  std::string about;
  std::vector<OptionShape> options = {};
  std::vector<ValueShape> values = {};  // positional arguments, in order
  bool last_repeats = false;            // the last value may be repeated

  std::string last_word() const { return words.substr(words.rfind(' ') + 1); }
};

// Whether `sub` is a direct subcommand of `command`.
bool is_under(const CommandShape& sub, const CommandShape& command) noexcept;

// Appends the shape of this parser, whose command is `words`, and of its subcommands. Leaves out
// options that help hides.
void append_shapes(const CLI::App& app, const std::string& words,
                   std::vector<CommandShape>& shapes);

}  // namespace confab::app
