// SPDX-License-Identifier: MIT
#include "sessions/title.h"

#include <cstddef>
#include <vector>

namespace confab::sessions {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr std::size_t kWordSearch = 20;  // how far back from the end a word boundary is looked for

struct Decoded {
  char32_t code_point;
  std::size_t n_bytes;
};

// The code point that `text` (not empty) begins with; a byte that begins none is U+FFFD.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t n = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < n) return {kReplacement, 1};
  char32_t c = first & (0xFFu >> (n + 1));
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {kReplacement, 1};
    c = (c << 6) | (byte(i) & 0x3Fu);
  }
  constexpr char32_t kSmallest[] = {0x80, 0x800, 0x10000};
  const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
  if (c < kSmallest[n - 2] || c > 0x10FFFF || surrogate) return {kReplacement, 1};
  return {c, n};
}

void append_utf8(std::string& out, char32_t c) {
  const auto add = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xC0 | (c >> 6));
    add(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    add(0xE0 | (c >> 12));
    add(0x80 | ((c >> 6) & 0x3F));
    add(0x80 | (c & 0x3F));
  } else {
    add(0xF0 | (c >> 18));
    add(0x80 | ((c >> 12) & 0x3F));
    add(0x80 | ((c >> 6) & 0x3F));
    add(0x80 | (c & 0x3F));
  }
}

// Blanks and what moves the cursor: C0, DEL and C1.
bool is_blank(char32_t c) {
  return c <= 0x20 || (c >= 0x7F && c <= 0xA0);
}

// The first line that is not blank, trimmed; no more of it than a title needs to know.
std::vector<char32_t> first_line(std::string_view text) {
  std::vector<char32_t> line;
  bool gap = false;
  while (!text.empty() && line.size() <= kTitleLength) {
    const Decoded next = decode(text);
    text.remove_prefix(next.n_bytes);
    if (next.code_point == '\n' && !line.empty()) break;
    if (is_blank(next.code_point)) {
      gap = !line.empty();
      continue;
    }
    if (gap) line.push_back(' ');
    gap = false;
    line.push_back(next.code_point);
  }
  return line;
}

}  // namespace

std::string title_from(std::string_view text) {
  std::vector<char32_t> line = first_line(text);
  if (line.size() > kTitleLength) {
    std::size_t end = kTitleLength - 1;
    for (std::size_t i = end; i + kWordSearch > kTitleLength; --i) {
      if (line[i] == ' ') {
        end = i;
        break;
      }
    }
    line.erase(line.begin() + static_cast<std::ptrdiff_t>(end), line.end());
    line.push_back(U'…');
  }
  std::string title;
  for (const char32_t c : line) append_utf8(title, c);
  return title;
}

}  // namespace confab::sessions
