// SPDX-License-Identifier: MIT
// Which links may be passed to a terminal, and which schemes make a link in plain text.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace confab::ui {

// The schemes of web addresses, without "://". Mail addresses have "mailto:"; no other scheme is
// allowed.
inline constexpr std::array<std::string_view, 2> kWebSchemes = {"https", "http"};

// Returns a link's target as it may be written in OSC 8: a web or mail address with every byte that
// is not printable ASCII percent-encoded. Returns an empty string for anything else: a relative
// path means nothing to a terminal, other schemes can start programs, and terminals drop targets of
// more than 2083 bytes (https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda).
std::string link_target(std::string_view url);

}  // namespace confab::ui
