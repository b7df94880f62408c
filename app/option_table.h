// SPDX-License-Identifier: MIT
// The table of lasting options, one row each. Their flags, config.toml, the variables CONFAB_*,
// `confab config`, completion and the manual are all made from it. The parameters of answers
// (app/parameters.h) are rows of it too.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/option_value.h"
#include "app/options.h"

namespace confab::app {

// Decides which commands have its flag.
enum class OptionGroup { chat, model, context, draft, sampling, cache };

struct Option {
  std::string_view key;        // in config.toml
  std::string_view flag;       // "-c,--ctx-size"; "--no-lookup" for a switch that is on by default
  std::string_view also = {};  // other programs' spellings, separated by spaces
  std::string_view value_name = {};  // as help shows it; empty for a switch
  std::string_view help;             // its meaning, without range and default
  OptionValue value;
  OptionGroup group;
  std::string_view key_help = {};    // meaning of the key, if the flag says the opposite
  std::string_view unset = {};       // the default in words, if no value expresses it
  std::string_view command = {};     // command that sets it in a chat
  std::string_view set_name = {};    // name for /set, if that is not a parameter's
  std::string_view instead_of = {};  // key of an option that sets the same thing in another way
};

std::span<const Option> option_table() noexcept;
const Option* find_option(std::string_view key) noexcept;  // nullptr if there is none
// Finds an option by its name in /set. Parameters have their own names: app/parameters.h.
const Option* find_set_option(std::string_view name) noexcept;

// "--ctx-size" and "CONFAB_CTX_SIZE".
std::string long_flag(const Option& option);
std::string variable_of(const Option& option);
// The name by which whoever set it there knows the option: flag, variable or key.
std::string name_for(const Option& option, Origin origin);
bool is_switch(const Option& option) noexcept;
// Whether its flag turns off what its key turns on.
bool flag_negates(const Option& option) noexcept;

// Sets the value from texts, as put_value() does, and records its source. Also reports a fault if
// one source sets the same thing in two ways.
[[nodiscard]] std::string set_option(const Option& option, ChatOptions& options,
                                     std::span<const std::string> texts, Source from);
// The source of its value; does not consider what models recommend.
Source source_of(const Option& option, const ChatOptions& options);

// "Number of threads (default: all cores)".
std::string help_text(const Option& option);
// "all cores", "15"; empty if there is nothing to say.
std::string default_text(const Option& option);

}  // namespace confab::app
