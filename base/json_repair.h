// SPDX-License-Identifier: MIT
// Turns almost-JSON that other programs send into JSON: see JsonRules::lenient.
#pragma once

#include <string>
#include <string_view>

namespace confab::base {

// Returns valid JSON unchanged. Anything that cannot be repaired stays as it is.
std::string repaired_json(std::string_view text, bool keep_halves);

// Joins the surrogate halves that JsonRules::keep_halves has kept, across the pieces of a text. A
// half without a partner becomes U+FFFD.
class HalfJoiner {
 public:
  std::string push(std::string_view piece);
  std::string finish();

 private:
  std::string held_;  // a first half at the end of the last piece
};

}  // namespace confab::base
