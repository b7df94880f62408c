// SPDX-License-Identifier: MIT
// The characters and marks that code is made of, found in a line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ui/code/language.h"

namespace confab::ui {

// Delimiters that code makes up (of raw strings, heredocs) count up to this length.
inline constexpr std::size_t kMaxMarkBytes = 64;

bool is_blank(char c) noexcept;
bool is_digit(char c) noexcept;
bool is_name_char(char c) noexcept;  // letters, digits, _ and all that is not ASCII
bool is_capitalised(std::string_view word) noexcept;  // Like this, unlike THIS
std::size_t skip_blanks(std::string_view text, std::size_t from) noexcept;

// Lists are separated by spaces.
bool is_listed(std::string_view list, std::string_view word) noexcept;
bool begins_with_one_of(std::string_view text, std::string_view list) noexcept;

// A mark that opens a string or comment, and what closes it: empty for the table's own.
struct Opened {
  std::size_t n_bytes;
  std::string close;
};
std::optional<Opened> open_mark(const Enclosed& rule, std::string_view text);
// <<WORD, <<-"WORD": `close` is the word that ends the lines below.
std::optional<Opened> open_heredoc(std::string_view mark, std::string_view text);
// How often a character stands at a place, at most kMaxMarkBytes.
std::size_t run_length(std::string_view text, std::size_t from, char c) noexcept;

// Where a token ends that begins at `from`; npos: there is none.
std::size_t number_end(std::string_view text, std::size_t from) noexcept;  // from a digit or .
std::size_t regex_end(std::string_view text, std::size_t from) noexcept;   // from /
// Before the = of name = value, or the : of name: value.
std::size_t assigned_name_end(std::string_view text, std::size_t from) noexcept;
std::size_t yaml_key_end(std::string_view text, std::size_t from) noexcept;
// Of a literal such as 'c' or '\n' that the text begins with; 0: none.
std::size_t character_length(std::string_view text) noexcept;

}  // namespace confab::ui
