// SPDX-License-Identifier: MIT
#include "ui/markdown/bare_link.h"

#include <algorithm>
#include <array>

#include "ui/link_target.h"
#include "ui/words.h"

namespace confab::ui {
namespace {

constexpr std::size_t npos = std::string_view::npos;

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_domain_char(char c) {
  return is_alnum(c) || c == '-' || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool ends_with_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  text.remove_prefix(text.size() - lower.size());
  return std::ranges::equal(text, lower, {}, to_lower);
}

// Where the link that goes on at `at` ends at the latest.
std::size_t extent(std::string_view text, std::size_t at) {
  // Ideographic space, wide punctuation and brackets.
  static constexpr std::array<std::string_view, 19> kStops = {
      "\u3000", "、", "。", "，", "．", "；", "：", "？", "！", "（",
      "）",     "「", "」", "『", "』", "【", "】", "《", "》"};
  std::size_t end = std::min(text.find_first_of(" \t\n<", at), text.size());
  for (std::size_t i = at; i < end; ++i) {
    if (static_cast<unsigned char>(text[i]) < 0x80) continue;
    const std::string_view rest = text.substr(i, 3);
    if (std::ranges::find(kStops, rest) != kStops.end()) return i;
  }
  return end;
}

// The length of the domain that a text begins with; 0 when it is none.
std::size_t domain_length(std::string_view text, bool needs_dot) {
  std::size_t end = 0, n_dots = 0;
  std::array<bool, 2> underscore = {};  // in the last segment and the one before it
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '.') {
      if (end == 0 || text[end - 1] == '.' || end + 1 == text.size() ||
          !is_domain_char(text[end + 1]))
        break;
      ++n_dots;
      underscore = {false, underscore[0]};
    } else if (!is_domain_char(c)) {
      break;
    } else if (c == '_') {
      underscore[0] = true;
    }
  }
  const bool valid = (n_dots > 0 || !needs_dot) && !underscore[0] && !underscore[1];
  return valid ? end : 0;
}

// Without the punctuation that is the sentence's and the brackets that are open before the link.
std::string_view without_trailing_punctuation(std::string_view link) {
  auto n_open = std::ranges::count(link, '(');
  auto n_closed = std::ranges::count(link, ')');
  while (!link.empty()) {
    const char last = link.back();
    const bool unbalanced = last == ')' && n_closed > n_open;
    if (!unbalanced && std::string_view("?!.,:*_~'\";").find(last) == npos) break;
    n_closed -= last == ')' ? 1 : 0;
    link.remove_suffix(1);
  }
  return link;
}

bool after_word(std::string_view text, std::size_t at, std::size_t from) {
  return at > from && is_alnum(text[at - 1]);
}

// A link with the scheme before `colon`.
std::optional<BareLink> web_link(std::string_view text, std::size_t colon, std::size_t from) {
  if (!text.substr(colon).starts_with("://")) return std::nullopt;
  const std::string_view before = text.substr(from, colon - from);
  std::size_t begin = npos;
  for (const std::string_view scheme : kWebSchemes)
    if (begin == npos && ends_with_ignoring_case(before, scheme)) begin = colon - scheme.size();
  if (begin == npos || after_word(text, begin, from)) return std::nullopt;
  const std::string_view link =
      without_trailing_punctuation(text.substr(begin, extent(text, colon + 3) - begin));
  const std::size_t host = colon + 3 - begin;
  if (link.size() <= host || domain_length(link.substr(host), false) == 0) return std::nullopt;
  return BareLink{begin, begin + link.size(), std::string(link)};
}

std::optional<BareLink> www_link(std::string_view text, std::size_t dot, std::size_t from) {
  if (!ends_with_ignoring_case(text.substr(from, dot - from), "www")) return std::nullopt;
  const std::size_t begin = dot - 3;
  if (after_word(text, begin, from)) return std::nullopt;
  const std::string_view link =
      without_trailing_punctuation(text.substr(begin, extent(text, dot) - begin));
  if (link.size() <= 4 || domain_length(link.substr(4), true) == 0) return std::nullopt;
  return BareLink{begin, begin + link.size(), "https://" + std::string(link)};
}

std::optional<BareLink> mail_link(std::string_view text, std::size_t at, std::size_t from) {
  std::size_t begin = at;
  while (begin > from &&
         (is_alnum(text[begin - 1]) || std::string_view("._+-").find(text[begin - 1]) != npos))
    --begin;
  std::size_t end = at + 1;
  while (end < text.size() &&
         (is_alnum(text[end]) || text[end] == '-' || text[end] == '_' ||
          (text[end] == '.' && end + 1 < text.size() && is_alnum(text[end + 1]))))
    ++end;
  const std::string_view domain = text.substr(at + 1, end - at - 1);
  const bool valid =
      begin < at && domain.find('.') != npos && is_alnum(domain.front()) && is_alnum(domain.back());
  if (!valid) return std::nullopt;
  return BareLink{begin, end, "mailto:" + std::string(text.substr(begin, end - begin))};
}

}  // namespace

std::optional<BareLink> next_bare_link(std::string_view text, std::size_t from) {
  for (std::size_t at = from; at < text.size(); ++at) {
    std::optional<BareLink> link;
    if (text[at] == ':') link = web_link(text, at, from);
    if (text[at] == '.') link = www_link(text, at, from);
    if (text[at] == '@') link = mail_link(text, at, from);
    if (link) return link;
  }
  return std::nullopt;
}

}  // namespace confab::ui
