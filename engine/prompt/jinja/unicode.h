// SPDX-License-Identifier: MIT
// Characters of UTF-8 text as Python's str counts and classifies them.
//
// Any bytes are accepted: a byte that does not belong to a well-formed sequence is a character of
// its own (as with Python's surrogateescape). Positions are byte offsets.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/utf8.h"

namespace confab::engine::jinja {

// The character at `pos` < s.size(); kNotUtf8 for a byte that is none.
char32_t decode(std::string_view s, std::size_t pos) noexcept;
// The end of the character at `pos` < s.size().
std::size_t char_end(std::string_view s, std::size_t pos) noexcept;
// The start of the character that ends at `end` > 0.
std::size_t char_begin(std::string_view s, std::size_t end) noexcept;
std::size_t count_chars(std::string_view s) noexcept;
// The byte offset of character `index`; s.size() when there are not as many.
std::size_t char_offset(std::string_view s, std::size_t index) noexcept;
// Code points outside Unicode, and surrogates, become U+FFFD.
void append_utf8(std::string& out, char32_t code_point);

bool is_ascii(std::string_view s) noexcept;

// str.isspace of one character.
bool is_space(char32_t c) noexcept;
// A character after which str.splitlines breaks the line.
bool is_line_break(char32_t c) noexcept;
// Byte offsets of the text without the white space around it.
std::size_t space_end(std::string_view s) noexcept;
std::size_t trailing_space_begin(std::string_view s) noexcept;

// Case by Unicode's simple mappings (and U+00DF, which has no simple one, to "SS").
std::string to_upper(std::string_view s);
std::string to_lower(std::string_view s);
// The title-case form of one character: upper case, but for the few letters that differ.
std::string to_title(std::string_view character);

enum class CharClass { alpha, digit, decimal, numeric, alnum, upper, lower, printable };
// Whether `s` is not empty and all its characters are of that class.
bool all_of_class(std::string_view s, CharClass char_class);
// The same of one character, for ASCII only; nullopt: it is not ASCII.
std::optional<bool> ascii_class(std::string_view character, CharClass char_class) noexcept;

}  // namespace confab::engine::jinja
