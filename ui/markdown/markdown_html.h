// SPDX-License-Identifier: MIT
// Markdown as HTML. It is made from the same tree as the layout, so it has everything that a screen
// shows:
//
//   tables, task lists, struck text, bare links
//   code      <pre><code class="language-NAME">, its words in spans of the classes keyword, type,
//             function, string, number, comment, meta; added and removed in a diff
//   footnotes <sup>, the text indented below them in <div class="footnote">
//   HTML      <kbd>, <sub>, <sup> and <br> stay as they are
//   alerts    <blockquote class="alert"> (or "alert urgent") with a <p class="title">
//   formulas  <span class="math" title="TEX">, as Unicode text; a formula on its own also has the
//             class display and may have several lines
//
// The text is untrusted. Other HTML in it is shown as it was written; nothing in it is run or
// loaded. Only the targets that link_target() allows become links, and an image becomes a link to
// it.
#pragma once

#include <string>
#include <string_view>

namespace confab::ui {

std::string markdown_to_html(std::string_view text);

// Returns sanitised text that is safe in an element and in a quoted attribute.
std::string html_escaped(std::string_view text);

}  // namespace confab::ui
