// SPDX-License-Identifier: MIT
// A web page as text: what a person would read of it. Scripts, styles and what is not shown are
// left out; blocks are lines and paragraphs, headings begin with #, items with - or their number,
// cells stand between |. What is behind a link is not there, its text is. Any bytes will do, in one
// pass over them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace confab::app {

std::string html_text(std::string_view html);

// The named characters of HTML.
struct HtmlEntity {
  std::string_view name;  // without & and ;
  char32_t character;
};

std::span<const HtmlEntity> html_entities() noexcept;  // sorted by name

}  // namespace confab::app
