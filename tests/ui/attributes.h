// SPDX-License-Identifier: MIT
// Looks in words, for golden files.
#pragma once

#include <string>
#include <string_view>

#include "ui/frame.h"
#include "ui/style.h"
#include "ui/theme.h"

namespace confab::ui {

// Text that is not plain as [role attributes -> link|text].
inline std::string with_attributes(std::string_view text, const Style& style,
                                   std::string_view link) {
  if (style == Style{} && link.empty()) return std::string(text);
  std::string out = "[";
  out += role_name(style.role);
  if (style.bold) out += " bold";
  if (style.italic) out += " italic";
  if (style.underline) out += " underline";
  if (style.strike) out += " strike";
  if (!link.empty()) out.append(" -> ").append(link);
  return out.append("|").append(text).append("]");
}

inline std::string with_attributes(const Line& line) {
  std::string out;
  for (const Span& span : line.spans) out += with_attributes(span.text, span.style, span.link);
  return out;
}

// A row of a frame, without trailing blanks that are plain.
inline std::string with_attributes(const Frame& frame, Rows row) {
  std::string out, run;
  const Cell* first = nullptr;
  for (Point at{row, Cols{0}}; at.col < frame.cols(); ++at.col.value) {
    const Cell& cell = frame.at(at);
    if (first != nullptr && (cell.style != first->style || cell.link != first->link)) {
      out += with_attributes(run, first->style, first->link);
      run.clear();
      first = nullptr;
    }
    if (first == nullptr) first = &cell;
    run += cell.text;
  }
  if (first != nullptr) out += with_attributes(run, first->style, first->link);
  return out.erase(out.find_last_not_of(' ') + 1);
}

}  // namespace confab::ui
