// SPDX-License-Identifier: MIT
// The form that an answer is expected to have, as people write it: list[:N], code[:LANG],
// table[:COLUMNS] or json. Whether an answer has it: app/forms/form_check.h.
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
  std::vector<std::string> columns = {};  // names of a table's, in their order; then n is 0
  std::string language = {};              // of code; empty: any
};

// "list:3", "code:python", "table:name,price", "json". Throws UserError, whose line does not say
// where the text is from.
Expectation parse_expectation(std::string_view text);
// The same as text.
std::string name_of(const Expectation& expected);

// What is added to a question, so that the model knows the form from the start.
std::string asked_in_form(const std::string& question, const Expectation& expected);
// What has been asked like that, for another try: with what was wrong with each of the answers so
// far ("it has 4 items, not 3"). It begins with what was asked, which the prompt cache knows.
std::string asked_again(const std::string& asked, std::span<const std::string> faults);

}  // namespace confab::app
