// SPDX-License-Identifier: MIT
// Numbers as JSON writes them, as languages (RFC 8259 section 6). What is limited in any way is
// written without an exponent.
#pragma once

#include <string>
#include <string_view>

#include "engine/constrain/regex.h"

namespace confab::engine {

// A number as JSON writes it, exactly: digits without leading and ending zeros.
struct Decimal {
  bool is_negative = false;
  std::string whole = "0";
  std::string fraction = {};

  // Throws ModelError for what is not a number, or has more than some hundreds of digits.
  static Decimal parse(std::string_view json);
  bool is_zero() const { return whole == "0" && fraction.empty(); }
};

RegexId any_number(RegexSet& regexes);     // with exponents
RegexId plain_number(RegexSet& regexes);   // without
RegexId integer(RegexSet& regexes);        // 1.0 is one
RegexId plain_integer(RegexSet& regexes);  // 1.0 is none
RegexId equal_to(RegexSet& regexes, const Decimal& number);
RegexId at_least(RegexSet& regexes, const Decimal& bound, bool is_exclusive);
RegexId at_most(RegexSet& regexes, const Decimal& bound, bool is_exclusive);
// Throws ModelError when the divisor is zero, negative, or has too many digits.
RegexId multiple_of(RegexSet& regexes, const Decimal& divisor);

}  // namespace confab::engine
