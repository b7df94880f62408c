// SPDX-License-Identifier: MIT
// Turns a web page into the text that a person would read. Scripts, styles and hidden parts are
// left out. Blocks become lines and paragraphs, headings start with #, items with - or a number,
// and cells are separated by |. Links keep their text but not their address. Accepts any bytes, in
// one pass.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace confab::app {

std::string html_text(std::string_view html);

// A named character of HTML.
struct HtmlEntity {
  std::string_view name;  // without & and ;
  char32_t character;
};

std::span<const HtmlEntity> html_entities() noexcept;  // sorted by name

}  // namespace confab::app
