// SPDX-License-Identifier: MIT
// Pieces of formulas that are text: alphabets, accents, scripts.
#pragma once

#include <string>
#include <string_view>

namespace confab::ui {

// Letters and digits in the alphabet of a command such as mathbb; as they are when it is none.
std::string in_alphabet(std::string_view command, std::string_view text);

// The combining character of an accent such as hat or bar; empty when the command is none.
std::string_view combining_accent(std::string_view command);
// On the one character of the text, on all of a line above or below, or else on it in parentheses.
std::string accented(std::string_view command, std::string_view text);

// Raised or lowered when Unicode has every character so, and else marked: ^(n, m).
std::string raised(std::string_view text);
std::string lowered(std::string_view text);

std::string fraction(std::string_view top, std::string_view bottom);
// With the degree of the root; empty for the square root.
std::string root(std::string_view degree, std::string_view text);

// A text as it stands in \text{…}, its escapes resolved.
std::string plain_text(std::string_view tex);

}  // namespace confab::ui
