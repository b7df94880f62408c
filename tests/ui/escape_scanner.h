// SPDX-License-Identifier: MIT
// Knows each sequence that the program may send to a terminal, and finds any other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace confab::ui {

// The first thing in `bytes` that is not ours: a control character, an escape sequence, a C1
// control or bidirectional control or tag character in UTF-8, a byte that is no UTF-8; with what
// follows it. nullopt: all is text and sequences of our own.
std::optional<std::string> foreign_sequence(std::string_view bytes);

}  // namespace confab::ui
