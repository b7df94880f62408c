// SPDX-License-Identifier: MIT
// The options that have a lasting meaning, one row each: from this table are made their flags,
// config.toml, the variables CONFAB_*, `confab config`, completion and the manual. The parameters
// of answers (app/parameters.h) are rows of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/option_value.h"
#include "app/options.h"

namespace confab::app {

// Which command lines have its flag.
enum class OptionGroup { chat, model, context, draft, sampling, cache };

struct Option {
  std::string_view key;        // in config.toml
  std::string_view flag;       // "-c,--ctx-size"; of a switch that is on unless told: "--no-lookup"
  std::string_view also = {};  // other programs' spellings of it, separated by spaces
  std::string_view value_name = {};  // as help shows it; of a switch: empty
  std::string_view help;             // what it is, without its range and default
  OptionValue value;
  OptionGroup group;
  std::string_view key_help = {};    // what the key says where the flag says the contrary
  std::string_view unset = {};       // what holds where nothing is said, where no value says it
  std::string_view command = {};     // that sets it in a chat
  std::string_view set_name = {};    // of /set, where it is not that of a parameter
  std::string_view instead_of = {};  // the key of another that says the same in another way
};

std::span<const Option> option_table() noexcept;
const Option* find_option(std::string_view key) noexcept;  // nullptr: there is none
// By its name of /set; parameters have their own: app/parameters.h.
const Option* find_set_option(std::string_view name) noexcept;

// "--ctx-size" and "CONFAB_CTX_SIZE".
std::string long_flag(const Option& option);
std::string variable_of(const Option& option);
// One of these, or the key: by what somebody who set it there knows the option.
std::string name_for(const Option& option, Origin origin);
bool is_switch(const Option& option) noexcept;
// Whether its flag turns off what the key turns on.
bool flag_negates(const Option& option) noexcept;

// Takes the value from texts, as put_value() does, and notes where it is from. That one source says
// the same in two ways is a fault too.
[[nodiscard]] std::string set_option(const Option& option, ChatOptions& options,
                                     std::span<const std::string> texts, Source from);
// Where its value is from; not what models recommend.
Source source_of(const Option& option, const ChatOptions& options);

// "Number of threads (default: all cores)".
std::string help_text(const Option& option);
// "all cores", "15"; empty: there is nothing to say.
std::string default_text(const Option& option);

}  // namespace confab::app
