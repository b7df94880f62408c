// SPDX-License-Identifier: MIT
// Tells the words, strings and comments of a line of code from each other, by a language's table.
//
// Every step takes at least one byte and looks ahead either a bounded number of them or, once a
// line, to its end: a line costs time in proportion to its length, whatever it holds.
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

// Collects the spans of a line: text and role, neighbours of one role joined.
class SpanWriter {
 public:
  explicit SpanWriter(std::string_view line) : line_(line) {}
  // The text from where the last call ended, up to `end`.
  void put(std::size_t end, Role role);
  std::vector<Span> take() { return std::move(spans_); }  // the writer is empty then

 private:
  std::string_view line_;
  std::size_t begin_ = 0;
  std::vector<Span> spans_;
};

// What one line leaves to the next.
struct CodeState {
  struct Level {
    const Enclosed* string;  // that the code is inside of
    std::size_t n_brackets;  // open in that code
  };
  const Enclosed* open = nullptr;  // the string or comment that goes on
  std::size_t depth = 0;           // of comments that nest
  std::string close;               // what ends it where that is not open->close; a heredoc's word
  bool in_heredoc = false;
  bool continued = false;                   // the line before ended in a backslash
  std::optional<std::size_t> block_indent;  // lines indented by more are YAML's block scalar
  std::vector<Level> levels;                // code inside of strings, at most kMaxLevels
};
inline constexpr std::size_t kMaxLevels = 16;

// Puts [begin, end) of the line, which it takes for all there is of it.
void scan_code(const Language& language, CodeState& state, std::string_view line, std::size_t begin,
               std::size_t end, SpanWriter& out);

}  // namespace confab::ui
