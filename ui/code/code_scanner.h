// SPDX-License-Identifier: MIT
// Separates the words, strings and comments of a line of code, by the table of its language.
//
// Every step consumes at least one byte. It looks ahead a bounded number of bytes or, once per
// line, to the end of the line. So the time is proportional to the length of the line, whatever it
// holds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/code/language.h"
#include "ui/style.h"

namespace confab::ui {

// Collects the spans of a line. Neighbours with the same role are joined.
class SpanWriter {
 public:
  explicit SpanWriter(std::string_view line) : line_(line) {}
  // Appends the text from the end of the last call up to `end`.
  void put(std::size_t end, Role role);
  std::vector<Span> take() { return std::move(spans_); }  // empties the writer

 private:
  std::string_view line_;
  std::size_t begin_ = 0;
  std::vector<Span> spans_;
};

// The state that one line passes to the next.
struct CodeState {
  struct Level {
    const Enclosed* string;  // the code is inside of this string
    std::size_t n_brackets;  // open brackets in that code
  };
  const Enclosed* open = nullptr;  // the string or comment that continues
  std::size_t depth = 0;           // depth of nested comments
  std::string close;  // the end mark if it is not open->close, or the word that ends a heredoc
  bool in_heredoc = false;
  bool continued = false;                   // the last line ended in a backslash
  std::optional<std::size_t> block_indent;  // a YAML block scalar has a larger indent
  std::vector<Level> levels;                // code inside of strings, at most kMaxLevels
};
inline constexpr std::size_t kMaxLevels = 16;

// Scans [begin, end) of the line as if it were the whole line.
void scan_code(const Language& language, CodeState& state, std::string_view line, std::size_t begin,
               std::size_t end, SpanWriter& out);

}  // namespace confab::ui
