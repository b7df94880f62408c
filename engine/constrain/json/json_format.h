// SPDX-License-Identifier: MIT
// The formats that JSON Schema defines (draft 2020-12 validation, section 7.3), as expressions.
#pragma once

#include <optional>
#include <string_view>

namespace confab::engine {

// The expression that strings of this format match as a whole, in the syntax of pattern.h; nullopt:
// it is not one that is held to.
std::optional<std::string_view> format_pattern(std::string_view format);

}  // namespace confab::engine
