// SPDX-License-Identifier: MIT
// Where what has been written may be written over.
#pragma once

namespace confab::ui {

// Whether ACCESSIBLE asks for output that a screen reader can follow: it is set, and not to 0.
bool wants_accessible() noexcept;

// Whether the descriptor is a terminal that can move its cursor (TERM is set, and not to "dumb"),
// and wants_accessible() is false. Elsewhere only whole lines are to be written.
bool may_redraw(int fd) noexcept;

}  // namespace confab::ui
