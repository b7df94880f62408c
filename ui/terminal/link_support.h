// SPDX-License-Identifier: MIT
// Whether people can follow hyperlinks in a terminal. None says so itself: those that can are known
// by their names.
#pragma once

#include <string_view>

namespace confab::ui {

// Of a name as the terminal gives it (XTVERSION): "foot(1.16.2)".
bool follows_links(std::string_view name);
// What TERM and the variables that terminals set say. Inside tmux or GNU screen they are those of
// some terminal that was there once, and say nothing.
bool environment_follows_links();

}  // namespace confab::ui
