// SPDX-License-Identifier: MIT
// A cursor over the text of a regular expression or of a grammar.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/constrain/characters.h"

namespace confab::engine {

class PatternText {
 public:
  // The kind of text decides how faults name their place: by character or by line.
  enum class Kind { expression, grammar };
  explicit PatternText(std::string_view text, Kind kind = Kind::expression)
      : text_(text), kind_(kind) {}

  bool at_end() const noexcept { return at_ == text_.size(); }
  // Returns '\0' at the end.
  char peek() const noexcept { return at_end() ? '\0' : text_[at_]; }
  // Reads the next character. Throws ModelError at the end, and if the text is not UTF-8.
  char32_t next();
  // Reads this if it comes next, and returns whether it did.
  bool take(char c) noexcept;
  bool take(std::string_view text) noexcept;
  // Reads a number; nullopt if there are no digits. Throws ModelError if it is greater than `most`.
  std::optional<int> take_number(int most);
  // Reads n_digits hexadecimal digits. Throws ModelError if there are fewer.
  char32_t take_hex(int n_digits);
  std::size_t offset() const noexcept { return at_; }
  void back_to(std::size_t offset) noexcept { at_ = offset; }
  int line() const;
  // Throws ModelError with the place.
  [[noreturn]] void fail(std::string_view fault) const;

 private:
  std::string_view text_;
  Kind kind_;
  std::size_t at_ = 0;
};

// Reads the part of a regular expression that stands for one character: a character, an escape or a
// class. The text must not be at its end. Throws ModelError.
CharacterSet parse_character_set(PatternText& text);

}  // namespace confab::engine
