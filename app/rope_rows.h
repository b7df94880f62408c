// SPDX-License-Identifier: MIT
// The rows of app/option_table.h about the rotation of positions, with which a model goes beyond
// the length that it was trained for: engine/model/rope_options.h.
#pragma once

#include <span>

#include "app/option_table.h"

namespace confab::app {

std::span<const Option> rope_rows() noexcept;

}  // namespace confab::app
