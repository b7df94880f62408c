// SPDX-License-Identifier: MIT
#include "ui/markdown/footnote.h"

#include <algorithm>
#include <set>

#include "ui/markdown/markdown_math.h"

namespace confab::ui {
namespace {

constexpr std::size_t npos = std::string_view::npos;
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLabel =
    "0123456789-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::size_t kMaxDigits = 3;
constexpr std::size_t kMaxLabel = 32;

// The label of what may be a footnote, which begins at its bracket. Empty if it is not one.
std::string_view label_at(std::string_view text) {
  if (!text.starts_with("[^")) return {};
  text.remove_prefix(2);
  const std::size_t end = text.substr(0, kMaxLabel + 1).find_first_not_of(kLabel);
  return end == npos || text[end] != ']' ? std::string_view() : text.substr(0, end);
}

bool is_number(std::string_view label) {
  return label.size() <= kMaxDigits && label.find_first_not_of(kDigits) == npos;
}

// The labels of the footnotes in a text, not counting mere references.
std::set<std::string_view> footnotes_of(std::string_view text) {
  std::set<std::string_view> labels;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(" >"), line.size()));
    const std::string_view label = label_at(line);
    if (!label.empty() && line.substr(label.size() + 3).starts_with(':')) labels.insert(label);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return labels;
}

}  // namespace

std::string shield_footnotes(std::string shielded) {
  const std::string_view text = shielded;
  if (text.find("[^") == npos) return shielded;
  const std::set<std::string_view> known = footnotes_of(text);
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = 0; (at = text.find("[^", at)) != npos; at += 2) {
    const std::string_view label = label_at(text.substr(at));
    const std::size_t end = at + label.size() + 3;
    const bool escaped = at > 0 && text[at - 1] == '\\';
    if (label.empty() || escaped || text.substr(end).starts_with('(')) continue;
    if (!is_number(label) && !known.contains(label)) continue;
    out.append(text.substr(done, at - done)).append(shielded_mark('[')).append(1, '^');
    out.append(label).append(shielded_mark(']'));
    done = end;
  }
  return out.append(text.substr(done));
}

std::size_t find_footnote(std::string_view shielded) {
  return std::min(shielded.find(shielded_mark('[') + '^'), shielded.size());
}

Footnote read_footnote(std::string_view shielded) {
  const std::string begin = shielded_mark('[') + '^', end = shielded_mark(']');
  const std::size_t label_end = shielded.find(end);
  return {shielded.substr(begin.size(), label_end - begin.size()), label_end + end.size()};
}

bool stands_footnote(std::string_view shielded) {
  return shielded.starts_with(shielded_mark('[') + '^') &&
         shielded.substr(read_footnote(shielded).size).starts_with(':');
}

}  // namespace confab::ui
