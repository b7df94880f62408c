// SPDX-License-Identifier: MIT
#include "ui/math/math.h"

#include <algorithm>

#include "ui/math/math_parser.h"
#include "ui/words.h"

namespace confab::ui {
namespace {

// A longer text is not a formula that anybody reads, so it stays as it is.
constexpr std::size_t kMaxBytes = 8192;
constexpr std::size_t kMaxRows = 40;
constexpr std::string_view kBlanks = " \t\n";

std::string as_written(std::string_view tex) {
  std::string text(trimmed(tex, kBlanks));
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
  return std::string(trimmed(out, kBlanks));
}

std::vector<std::string> math_rows(std::string_view tex, Cols width) {
  if (tex.size() > kMaxBytes) return {as_written(tex)};
  MathBox all;
  for (const MathBox& line : MathParser(tex, true).lines()) all = MathBox::stack(all, line, {});
  if (all.width() <= width.value && all.height() <= kMaxRows) return all.rows();
  std::vector<std::string> rows;
  for (const MathBox& line : MathParser(tex, false).lines())
    rows.emplace_back(trimmed(line.line(), kBlanks));
  return rows;
}

}  // namespace confab::ui
