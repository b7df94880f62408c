// SPDX-License-Identifier: MIT
// Bytes as text: RFC 4648, section 4.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace confab::ui {

std::string to_base64(std::string_view bytes);
// nullopt: not what to_base64() makes.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace confab::ui
