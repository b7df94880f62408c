// SPDX-License-Identifier: MIT
// Characters of UTF-8 text as Python's str counts and classifies them.
//
// Any bytes are accepted: a byte that does not belong to a well-formed sequence counts as one
// character (as with Python's surrogateescape). Positions are byte offsets.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/utf8.h"

namespace confab::engine::jinja {

// The character at `pos` < s.size(), or kNotUtf8 for a byte that is not valid UTF-8.
char32_t decode(std::string_view s, std::size_t pos) noexcept;
// The end of the character at `pos` < s.size().
std::size_t char_end(std::string_view s, std::size_t pos) noexcept;
// The start of the character that ends at `end` > 0.
std::size_t char_begin(std::string_view s, std::size_t end) noexcept;
std::size_t count_chars(std::string_view s) noexcept;
// The byte offset of character `index`, or s.size() if there are fewer characters.
std::size_t char_offset(std::string_view s, std::size_t index) noexcept;
// Appends a character as UTF-8. Surrogates and code points outside Unicode become U+FFFD.
void append_utf8(std::string& out, char32_t code_point);

bool is_ascii(std::string_view s) noexcept;

// Whether str.isspace holds for the character.
bool is_space(char32_t c) noexcept;
// Whether str.splitlines breaks a line after the character.
bool is_line_break(char32_t c) noexcept;
// The end of the leading white space, and the start of the trailing white space, as byte offsets.
std::size_t space_end(std::string_view s) noexcept;
std::size_t trailing_space_begin(std::string_view s) noexcept;

// Map the case by Unicode's simple mappings. U+00DF has no simple upper case and becomes "SS".
std::string to_upper(std::string_view s);
std::string to_lower(std::string_view s);
// The title-case form of one character: its upper case, except "Ss" for U+00DF.
std::string to_title(std::string_view character);

enum class CharClass { alpha, digit, decimal, numeric, alnum, upper, lower, printable };
// Whether `s` is not empty and all its characters are of that class.
bool all_of_class(std::string_view s, CharClass char_class);
// The same for one character; nullopt if it is not ASCII.
std::optional<bool> ascii_class(std::string_view character, CharClass char_class) noexcept;

}  // namespace confab::engine::jinja
