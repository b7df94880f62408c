// SPDX-License-Identifier: MIT
// A file of TOML as entries in the order of their lines, and what they say as an option's values:
// what config.toml, state.toml and templates are read with.
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
struct TomlOther {};  // a date, or a list of what are not texts
using TomlValue = std::variant<TomlOther, bool, TomlNumber, std::string, std::vector<std::string>,
                               std::vector<TomlEntry>>;  // the last: a table

struct TomlEntry {
  std::string key;
  int line = 0;        // of the key
  int value_line = 0;  // where its value begins
  TomlValue value;
};

struct TomlDocument {
  std::vector<TomlEntry> entries = {};
  std::string fault = {};  // that makes it no TOML, and so without entries; empty: none
  int fault_line = 0;
};

TomlDocument read_toml(std::string_view text);

// What would be typed for it; nullopt: a value of the option's kind is written otherwise.
std::optional<std::vector<std::string>> texts_of(const TomlValue& value, const OptionValue& option);

}  // namespace confab::app
