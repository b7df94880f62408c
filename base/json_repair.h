// SPDX-License-Identifier: MIT
// What other programs send though it is not JSON, made JSON: see JsonRules::lenient.
#pragma once

#include <string>
#include <string_view>

namespace confab::base {

// Of a text that is JSON, the same. What cannot be repaired stays as it is.
std::string repaired_json(std::string_view text, bool keep_halves);

// Puts together the halves of surrogate pairs that JsonRules::keep_halves has kept, across the
// pieces of a text. A half that stays alone becomes U+FFFD.
class HalfJoiner {
 public:
  std::string push(std::string_view piece);
  std::string finish();

 private:
  std::string held_;  // a first half that ended the last piece
};

}  // namespace confab::base
