// SPDX-License-Identifier: MIT
#include "ui/markdown/html_tag.h"

#include <cmark.h>

#include <algorithm>
#include <array>

#include "ui/words.h"

namespace confab::ui {
namespace {

constexpr std::size_t npos = std::string_view::npos;

struct Element {
  std::string_view name, begin, end;
};
constexpr std::array kElements = {Element{"kbd", "<kbd>", "</kbd>"},
                                  Element{"sub", "<sub>", "</sub>"},
                                  Element{"sup", "<sup>", "</sup>"}};

std::string_view html_of(cmark_node* node) {
  const bool html = node != nullptr && cmark_node_get_type(node) == CMARK_NODE_HTML_INLINE;
  const char* text = html ? cmark_node_get_literal(node) : nullptr;
  return text == nullptr ? "" : text;
}

}  // namespace

bool is_line_break(std::string_view tag) {
  std::string name = lower_case(tag);
  std::erase_if(name, [](char c) { return c == ' ' || c == '/' || c == '\t' || c == '\n'; });
  return name == "<br>" && !tag.starts_with("</");
}

TextElement text_element(cmark_node* tag) {
  const std::string begin = lower_case(html_of(tag));
  const auto element = std::ranges::find(kElements, begin, &Element::begin);
  if (element == kElements.end()) return {};
  cmark_node* text = cmark_node_next(tag);
  if (text == nullptr || cmark_node_get_type(text) != CMARK_NODE_TEXT) return {};
  cmark_node* end = cmark_node_next(text);
  if (lower_case(html_of(end)) != element->end) return {};
  return {element->name, text, end};
}

std::string_view closing_tag(std::string_view text) {
  const auto element = std::ranges::find_if(
      kElements, [text](const Element& known) { return text.starts_with(known.begin); });
  return element == kElements.end() ? std::string_view() : element->end;
}

std::string_view without_open_tag(std::string_view text) {
  const std::size_t at = text.rfind('<');
  if (at == npos) return text;
  const std::string_view tag = text.substr(at);
  const auto begins = [tag](std::string_view whole) {
    return tag.size() < whole.size() && whole.starts_with(tag);
  };
  const bool open = begins("<br />") || std::ranges::any_of(kElements, [&](const Element& e) {
                      return begins(e.begin) || begins(e.end);
                    });
  return open && tag != "<br>" ? text.substr(0, at) : text;
}

}  // namespace confab::ui
