// SPDX-License-Identifier: MIT
#include "app/attach/wildcard.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace confab::app {
namespace {

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, end));
    if (end == path.size()) return parts;
    path.remove_prefix(end + 1);
  }
}

// The length of the first character: a byte and the UTF-8 continuation bytes after it.
std::size_t character_length(std::string_view text) {
  std::size_t n = 1;
  while (n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80) ++n;
  return n;
}

// The result of matching a [...]: whether it contains the character, and its length in the pattern.
struct Class {
  bool has;
  std::size_t n_bytes;
};

// Reads a class at a "[". Returns nullopt if it is never closed; the [ then stands for itself. Only
// the first byte of a multi-byte character counts.
std::optional<Class> read_class(std::string_view pattern, char c) {
  std::size_t at = 1;
  const bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (negated) ++at;
  bool has = false;
  for (bool first = true; at < pattern.size(); first = false) {
    if (pattern[at] == ']' && !first) return Class{has != negated, at + 1};
    if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
    const char from = pattern[at++];
    char to = from;
    if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
      at += pattern[at + 1] == '\\' && at + 2 < pattern.size() ? 2 : 1;
      to = pattern[at++];
    }
    has = has || (c >= from && c <= to);
  }
  return std::nullopt;
}

// One matching step other than *: how many bytes of the pattern and the name it uses.
struct Step {
  std::size_t n_pattern;
  std::size_t n_name;
};

std::optional<Step> step(std::string_view pattern, std::string_view name) {
  if (pattern.empty() || name.empty()) return std::nullopt;
  const char c = name.front();
  if (pattern.front() == '?') return Step{1, character_length(name)};
  if (pattern.front() == '[')
    if (const auto found = read_class(pattern, c)) {
      if (!found->has) return std::nullopt;
      return Step{found->n_bytes, character_length(name)};
    }
  const bool escaped = pattern.front() == '\\' && pattern.size() > 1;
  if (pattern[escaped ? 1 : 0] != c) return std::nullopt;
  return Step{escaped ? 2U : 1U, 1};
}

}  // namespace

bool has_wildcard(std::string_view text) noexcept {
  return text.find_first_of("*?[") != std::string_view::npos;
}

// After a mismatch, the last * takes one more character. Earlier ones never have to change.
bool matches_part(std::string_view pattern, std::string_view name) {
  std::optional<std::string_view> star;  // the pattern after the last *
  std::string_view star_name;
  for (;;) {
    if (pattern.starts_with('*')) {
      pattern.remove_prefix(1);
      star = pattern;
      star_name = name;
    } else if (const auto one = step(pattern, name)) {
      pattern.remove_prefix(one->n_pattern);
      name.remove_prefix(one->n_name);
    } else if (pattern.empty() && name.empty()) {
      return true;
    } else if (star && !star_name.empty()) {
      star_name.remove_prefix(1);
      pattern = *star;
      name = star_name;
    } else {
      return false;
    }
  }
}

// The same algorithm, with parts in place of characters and ** in place of *.
bool matches(std::string_view pattern, std::string_view path) {
  const std::vector<std::string_view> want = parts_of(pattern), have = parts_of(path);
  std::size_t i = 0, j = 0;
  std::optional<std::size_t> star;
  std::size_t star_have = 0;
  for (;;) {
    if (i < want.size() && want[i] == "**") {
      if (i + 1 == want.size()) return j < have.size();
      star = ++i;
      star_have = j;
    } else if (i < want.size() && j < have.size() && matches_part(want[i], have[j])) {
      ++i, ++j;
    } else if (i == want.size() && j == have.size()) {
      return true;
    } else if (star && star_have < have.size()) {
      i = *star;
      j = ++star_have;
    } else {
      return false;
    }
  }
}

}  // namespace confab::app
