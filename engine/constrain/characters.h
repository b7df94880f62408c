// SPDX-License-Identifier: MIT
// Sets of characters, and what they are in bytes: as UTF-8, or as JSON writes them in a string.
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
  // Sorted, apart from each other; without surrogates.
  const std::vector<Range>& ranges() const {
    if (!is_tidy_) tidy();
    return ranges_;
  }

 private:
  void tidy() const;
  // Put in order when somebody looks: a class may have hundreds of thousands.
  mutable std::vector<Range> ranges_;
  mutable bool is_tidy_ = true;
};

// The characters of \p{NAME}: a general category, a script or a binary property that PCRE2 knows;
// nullopt: it knows none of that name.
std::optional<CharacterSet> unicode_property(std::string_view name);

enum class TextForm {
  plain,  // UTF-8
  json,   // inside a JSON string: what must be escaped is, in every way; nothing else
};

// One of these characters.
RegexId characters(RegexSet& regexes, const CharacterSet& set, TextForm form);
// A text of them.
RegexId text_literal(RegexSet& regexes, std::string_view utf8, TextForm form);
// Any character inside a JSON string, escaped or not. (RFC 8259 section 7, but no lone surrogates.)
RegexId json_character(RegexSet& regexes);
// The same, written without escapes that are not needed.
RegexId json_plain_character(RegexSet& regexes);

}  // namespace confab::engine
