// SPDX-License-Identifier: MIT
// Markdown as HTML: the same tree as the layout's, so that what a screen shows is there as well.
//
//   tables, task lists, struck text, bare links
//   code      <pre><code class="language-NAME">, its words in spans of the classes keyword, type,
//             function, string, number, comment, meta; added and removed in a diff
//   footnotes <sup>, what is indented below them <div class="footnote">; <kbd>, <sub>, <sup> and
//             <br> are what they are
//   alerts    <blockquote class="alert"> (or "alert urgent") with a <p class="title">
//   formulas  <span class="math" title="TEX">, as Unicode text; those that stand alone have the
//   class
//             display too, and may have several lines
//
// The text is untrusted. Other HTML in it is shown as it was written; nothing of it is run or
// loaded. Only what link_target() allows becomes a link, and an image is a link to it.
#pragma once

#include <string>
#include <string_view>

namespace confab::ui {

std::string markdown_to_html(std::string_view text);

// Sanitised text, safe in an element and in a quoted attribute.
std::string html_escaped(std::string_view text);

}  // namespace confab::ui
