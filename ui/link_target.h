// SPDX-License-Identifier: MIT
// Which links may be handed to a terminal, and what is a link in bare text.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace confab::ui {

// The schemes of web addresses, without "://". Mail's is "mailto:"; there are no others.
inline constexpr std::array<std::string_view, 2> kWebSchemes = {"https", "http"};

// A link's target as it may stand in OSC 8: a web or mail address with every byte that is not
// printable ASCII percent-encoded. Empty for all else: a relative path means nothing there, other
// schemes start programs, and terminals drop what has more than 2083 bytes
// (https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda).
std::string link_target(std::string_view url);

}  // namespace confab::ui
