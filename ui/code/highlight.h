// SPDX-License-Identifier: MIT
// Code in colours, by the kind of each word in its language.
//
// The text may be anything and may be cut anywhere; highlighting never fails. The time is
// proportional to the length of a line. The result is a guess from tables, not a parse.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "ui/style.h"

namespace confab::ui {

// Reads a block line by line. A copy continues independently from where it was made, which serves
// for a line that is still being written.
class Highlighter {
 public:
  // `info` is a fence's info string. Nothing is guessed: code without a language or in an unknown
  // one is Role::code_block.
  explicit Highlighter(std::string_view info);
  ~Highlighter();
  Highlighter(const Highlighter& other);
  Highlighter& operator=(const Highlighter& other);
  Highlighter(Highlighter&& other) noexcept;
  Highlighter& operator=(Highlighter&& other) noexcept;

  // Returns the spans of the next line, which is passed without its line break. Their joined text
  // is the line. An empty line has no spans.
  std::vector<Span> line(std::string_view code);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace confab::ui
