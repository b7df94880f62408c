// SPDX-License-Identifier: MIT
// The text of a regular expression, or of a grammar, while it is read.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/constrain/characters.h"

namespace confab::engine {

class PatternText {
 public:
  // What the text is says how faults name their place: by the character, or by the line.
  enum class Kind { expression, grammar };
  explicit PatternText(std::string_view text, Kind kind = Kind::expression)
      : text_(text), kind_(kind) {}

  bool at_end() const noexcept { return at_ == text_.size(); }
  // '\0' at the end.
  char peek() const noexcept { return at_end() ? '\0' : text_[at_]; }
  // The next character. Throws ModelError at the end, and where the text is not UTF-8.
  char32_t next();
  // Whether this comes next; it has been read then.
  bool take(char c) noexcept;
  bool take(std::string_view text) noexcept;
  // Digits; nullopt: none come. Throws ModelError when they are more than `most`.
  std::optional<int> take_number(int most);
  // So many hexadecimal digits. Throws ModelError where there are fewer.
  char32_t take_hex(int n_digits);
  std::size_t offset() const noexcept { return at_; }
  void back_to(std::size_t offset) noexcept { at_ = offset; }
  int line() const;
  // Throws ModelError, with the place.
  [[noreturn]] void fail(std::string_view fault) const;

 private:
  std::string_view text_;
  Kind kind_;
  std::size_t at_ = 0;
};

// Reads the part of a regular expression that stands for one character: a character, an escape, a
// class. There is one. Throws ModelError.
CharacterSet parse_character_set(PatternText& text);

}  // namespace confab::engine
