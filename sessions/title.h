// SPDX-License-Identifier: MIT
// A conversation's title, from what the user asked first.
#pragma once

#include <string>
#include <string_view>

namespace confab::sessions {

inline constexpr int kTitleLength = 60;  // code points at most, an ellipsis included

// The first line that says something, with runs of blanks and control characters as one space,
// cut at a word where there is one near the end. What is no UTF-8 becomes U+FFFD, so the result is
// UTF-8 always; it is empty when the text is blank.
std::string title_from(std::string_view text);

}  // namespace confab::sessions
