// SPDX-License-Identifier: MIT
// Formulas in TeX's notation as Unicode text: x^2 as x², \frac{a}{b} as a⁄b, \alpha as α.
//
// The text is sanitised, as are the results. Whatever it is, something readable comes out: what is
// not known stands there by its name, what is nested too deep as it was written. The time is in
// proportion to the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/text.h"

namespace confab::ui {

// A formula in running text: one line, without spaces at its ends.
std::string math_line(std::string_view tex);

// A formula of its own: fractions, limits of sums and matrices take several rows, unless one would
// be wider than `width`: then it is a single line, or one for each of its lines.
std::vector<std::string> math_rows(std::string_view tex, Cols width);

}  // namespace confab::ui
