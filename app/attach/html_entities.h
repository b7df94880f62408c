// SPDX-License-Identifier: MIT
// The named characters of HTML.
#pragma once

#include <span>
#include <string_view>

namespace confab::app {

struct HtmlEntity {
  std::string_view name;  // without & and ;
  char32_t character;
};

std::span<const HtmlEntity> html_entities() noexcept;  // sorted by name

}  // namespace confab::app
