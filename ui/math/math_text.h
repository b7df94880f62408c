// SPDX-License-Identifier: MIT
// Parts of formulas that are plain text: alphabets, accents, scripts.
#pragma once

#include <string>
#include <string_view>

namespace confab::ui {

// Returns letters and digits in the alphabet of a command like mathbb. Other commands leave the
// text unchanged.
std::string in_alphabet(std::string_view command, std::string_view text);

// The combining character of an accent like hat or bar. Empty for any other command.
std::string_view combining_accent(std::string_view command);
// Puts the accent on a single character, a line above or below over the whole text, and any other
// accent on the text in parentheses.
std::string accented(std::string_view command, std::string_view text);

// Raises or lowers the text if Unicode has all of its characters in that form. Otherwise it is
// marked: ^(n, m).
std::string raised(std::string_view text);
std::string lowered(std::string_view text);

std::string fraction(std::string_view top, std::string_view bottom);
// `degree` is empty for a square root.
std::string root(std::string_view degree, std::string_view text);

// Returns the content of \text{…} with its escapes resolved.
std::string plain_text(std::string_view tex);

}  // namespace confab::ui
