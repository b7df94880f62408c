// SPDX-License-Identifier: MIT
// Reads TOML as entries in the order of their lines, and converts them to the values of options.
// Used for config.toml, state.toml and templates.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/option_value.h"

namespace confab::app {

struct TomlEntry;

struct TomlNumber {
  std::string text;  // "0.4"; a number with a point keeps it: "1.0"
};
struct TomlOther {};  // a date, or a list of things other than texts
using TomlValue = std::variant<TomlOther, bool, TomlNumber, std::string, std::vector<std::string>,
                               std::vector<TomlEntry>>;  // the last alternative is a table

struct TomlEntry {
  std::string key;
  int line = 0;        // line of the key
  int value_line = 0;  // line where its value begins
  TomlValue value;
};

struct TomlDocument {
  std::vector<TomlEntry> entries = {};
  std::string fault = {};  // why it is not TOML; then there are no entries. Empty: it is valid
  int fault_line = 0;
};

TomlDocument read_toml(std::string_view text);

// What a person would type for this value; nullopt if the value has the wrong type for the option.
std::optional<std::vector<std::string>> texts_of(const TomlValue& value, const OptionValue& option);

}  // namespace confab::app
