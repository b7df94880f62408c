// SPDX-License-Identifier: MIT
// Sets of characters, and their languages of bytes: as UTF-8, or as written in a JSON string.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/constrain/regex.h"

namespace confab::engine {

class CharacterSet {
 public:
  struct Range {
    char32_t first;
    char32_t last;
    bool operator==(const Range&) const = default;
  };

  CharacterSet() = default;
  CharacterSet(std::initializer_list<Range> ranges);
  void add(char32_t first, char32_t last);
  void add(const CharacterSet& other);
  CharacterSet complement() const;
  // Sorted and disjoint, without surrogates.
  const std::vector<Range>& ranges() const {
    if (!is_tidy_) tidy();
    return ranges_;
  }

 private:
  void tidy() const;
  // Sorted and merged only when they are read, because a class may have hundreds of thousands.
  mutable std::vector<Range> ranges_;
  mutable bool is_tidy_ = true;
};

// The characters of \p{NAME}: a general category, a script or a binary property. Returns nullopt if
// PCRE2 does not know the name.
std::optional<CharacterSet> unicode_property(std::string_view name);

enum class TextForm {
  plain,  // UTF-8
  json,   // inside a JSON string; only what must be escaped is escaped
};

// The language of one character of the set.
RegexId characters(RegexSet& regexes, const CharacterSet& set, TextForm form);
// The language of exactly this text.
RegexId text_literal(RegexSet& regexes, std::string_view utf8, TextForm form);
// Any character inside a JSON string, escaped or not (RFC 8259 section 7), except lone surrogates.
RegexId json_character(RegexSet& regexes);
// The same, without escapes that are not needed.
RegexId json_plain_character(RegexSet& regexes);

}  // namespace confab::engine
