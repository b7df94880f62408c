// SPDX-License-Identifier: MIT
// Characters that take one column, or two in a terminal set up for East Asian text (UAX #11, class
// A).
#pragma once

#include <array>

namespace confab::ui {

struct CodePointRange {
  char32_t first;
  char32_t last;
};

extern const std::array<CodePointRange, 173> kAmbiguousWidth;  // ascending

}  // namespace confab::ui
