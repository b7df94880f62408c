// SPDX-License-Identifier: MIT
// Finds the characters and marks that code is made of in a line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ui/code/language.h"

namespace confab::ui {

// The longest delimiter that code can define (for raw strings, heredocs).
inline constexpr std::size_t kMaxMarkBytes = 64;

bool is_blank(char c) noexcept;
bool is_digit(char c) noexcept;
bool is_name_char(char c) noexcept;  // letters, digits, _ and everything outside ASCII
bool is_capitalised(std::string_view word) noexcept;  // Like this, unlike THIS
std::size_t skip_blanks(std::string_view text, std::size_t from) noexcept;

// The words of a list are separated by spaces.
bool is_listed(std::string_view list, std::string_view word) noexcept;
bool begins_with_one_of(std::string_view text, std::string_view list) noexcept;

// The mark that opens a string or comment, and the mark that closes it; `close` is empty if the
// table has it.
struct Opened {
  std::size_t n_bytes;
  std::string close;
};
std::optional<Opened> open_mark(const Enclosed& rule, std::string_view text);
// Matches <<WORD and <<-"WORD". `close` is the word that ends the heredoc.
std::optional<Opened> open_heredoc(std::string_view mark, std::string_view text);
// How many times `c` repeats from `from` on, at most kMaxMarkBytes.
std::size_t run_length(std::string_view text, std::size_t from, char c) noexcept;

// These return where the token that begins at `from` ends, or npos if no such token begins there.
std::size_t number_end(std::string_view text, std::size_t from) noexcept;  // from a digit or .
std::size_t regex_end(std::string_view text, std::size_t from) noexcept;   // from /
// The end is before the = of name = value, or the : of name: value.
std::size_t assigned_name_end(std::string_view text, std::size_t from) noexcept;
std::size_t yaml_key_end(std::string_view text, std::size_t from) noexcept;
// The length of a literal such as 'c' or '\n' at the beginning of the text; 0 if there is none.
std::size_t character_length(std::string_view text) noexcept;

}  // namespace confab::ui
