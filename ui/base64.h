// SPDX-License-Identifier: MIT
// Bytes as base64 text (RFC 4648, section 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace confab::ui {

std::string to_base64(std::string_view bytes);
// Returns nullopt if the text is not something that to_base64() returns.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace confab::ui
