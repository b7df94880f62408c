// SPDX-License-Identifier: MIT
// `confab -p` with answers that are short, and the same each time.
#pragma once

#include <string>
#include <vector>

#include "tests/app/program.h"

namespace confab::app {

inline const std::vector<std::string> kShort{"-n", "24", "--temp", "0", "-t", "1"};

inline std::vector<std::string> with(std::vector<std::string> words) {
  words.insert(words.end(), kShort.begin(), kShort.end());
  return words;
}

// Whole, or cut off by -n.
inline bool answered(const RunResult& result) {
  return result.status == 0 || result.status == 6;
}

}  // namespace confab::app
