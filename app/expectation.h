// SPDX-License-Identifier: MIT
// The form that an answer is expected to have, as people write it: list[:N], code[:LANG],
// table[:COLUMNS] or json. app/forms/form_check.h checks whether an answer has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace confab::app {

struct Expectation {
  enum class Kind : std::uint8_t { none, list, code, table, json };

  bool operator==(const Expectation&) const = default;
  bool is_wanted() const noexcept { return kind != Kind::none; }

  Kind kind = Kind::none;
  std::size_t n = 0;                      // items of a list, columns of a table; 0: any number
  std::vector<std::string> columns = {};  // names of a table's columns, in order; then n is 0
  std::string language = {};              // language of code; empty: any
};

// Parses "list:3", "code:python", "table:name,price" or "json". Throws UserError, whose message
// does not say where the text came from.
Expectation parse_expectation(std::string_view text);
// The expectation as text, in the same notation.
std::string name_of(const Expectation& expected);

// The question with an instruction that tells the model the form from the start.
std::string asked_in_form(const std::string& question, const Expectation& expected);
// The question for another attempt: `asked` as before, then what was wrong with each answer so far
// ("it has 4 items, not 3"). It begins with the same text, which the prompt cache knows.
std::string asked_again(const std::string& asked, std::span<const std::string> faults);

}  // namespace confab::app
