// SPDX-License-Identifier: MIT
// Formulas in TeX's notation as Unicode text: x^2 as x², \frac{a}{b} as a⁄b, \alpha as α.
//
// The text must be sanitised, and so are the results. Any text gives something readable: an unknown
// command shows its name, and what is nested too deep shows as it was written. The time is
// proportional to the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/text.h"

namespace confab::ui {

// Sets a formula in running text: one line, without spaces at its ends.
std::string math_line(std::string_view tex);

// Sets a display formula. Fractions, limits of sums and matrices take several rows, unless a row
// would be wider than `width`. Then the formula, or each line of it, becomes a single line.
std::vector<std::string> math_rows(std::string_view tex, Cols width);

}  // namespace confab::ui
