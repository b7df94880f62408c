// SPDX-License-Identifier: MIT
// The few elements of HTML that Markdown is written with and that text can show.
#pragma once

#include <string>
#include <string_view>

struct cmark_node;

namespace confab::ui {

// <br>, as it may be written.
bool is_line_break(std::string_view tag);

// An element with nothing but text in it, from its first tag on.
struct TextElement {
  std::string_view name = {};  // "kbd", "sub" or "sup"; empty: it is none of these
  cmark_node* text = nullptr;
  cmark_node* end = nullptr;  // the tag that ends it
};
TextElement text_element(cmark_node* tag);

// The tag that ends the element that begins here; empty: none does.
std::string_view closing_tag(std::string_view text);
// The text without a tag of these that it ends inside of.
std::string_view without_open_tag(std::string_view text);

}  // namespace confab::ui
