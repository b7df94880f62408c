// SPDX-License-Identifier: MIT
// Languages of numbers as JSON writes them (RFC 8259 section 6). Limited numbers are written
// without an exponent.
#pragma once

#include <string>
#include <string_view>

#include "engine/constrain/regex.h"

namespace confab::engine {

// An exact decimal number, without leading or trailing zeros.
struct Decimal {
  bool is_negative = false;
  std::string whole = "0";
  std::string fraction = {};

  // Throws ModelError if the text is not a number or needs more than 400 digits.
  static Decimal parse(std::string_view json);
  bool is_zero() const { return whole == "0" && fraction.empty(); }
};

RegexId any_number(RegexSet& regexes);     // with exponents
RegexId plain_number(RegexSet& regexes);   // without exponents
RegexId integer(RegexSet& regexes);        // 1.0 is included
RegexId plain_integer(RegexSet& regexes);  // 1.0 is not included
RegexId equal_to(RegexSet& regexes, const Decimal& number);
RegexId at_least(RegexSet& regexes, const Decimal& bound, bool is_exclusive);
RegexId at_most(RegexSet& regexes, const Decimal& bound, bool is_exclusive);
// Throws ModelError if the divisor is zero, negative, or has too many digits.
RegexId multiple_of(RegexSet& regexes, const Decimal& divisor);

}  // namespace confab::engine
