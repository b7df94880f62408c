// SPDX-License-Identifier: MIT
#include "ui/math/math.h"

#include <algorithm>

#include "ui/math/math_parser.h"

namespace confab::ui {
namespace {

// What is longer is no formula that anybody reads; it stays as it is.
constexpr std::size_t kMaxBytes = 8192;
constexpr std::size_t kMaxRows = 40;

std::string trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\n"), text.size());
  return std::string(text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin));
}

std::string as_written(std::string_view tex) {
  std::string text = trimmed(tex);
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

std::string math_line(std::string_view tex) {
  if (tex.size() > kMaxBytes) return as_written(tex);
  std::string out;
  for (const MathBox& line : MathParser(tex, false).lines()) {
    if (!out.empty()) out += "; ";
    out += line.line();
  }
  return trimmed(out);
}

std::vector<std::string> math_rows(std::string_view tex, Cols width) {
  if (tex.size() > kMaxBytes) return {as_written(tex)};
  MathBox all;
  for (const MathBox& line : MathParser(tex, true).lines()) all = MathBox::stack(all, line, {});
  if (all.width() <= width.value && all.height() <= kMaxRows) return all.rows();
  std::vector<std::string> rows;
  for (const MathBox& line : MathParser(tex, false).lines()) rows.push_back(trimmed(line.line()));
  return rows;
}

}  // namespace confab::ui
