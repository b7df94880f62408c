// SPDX-License-Identifier: MIT
// Code in colours: the words of a line by what they are in its language.
//
// The text may be anything, cut anywhere: it never fails, and a line costs time in proportion to
// its length. What it says is a guess from tables, not a parse.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "ui/style.h"

namespace confab::ui {

// Reads a block line by line. A copy goes on by itself from where it was taken: for a line that is
// still being written.
class Highlighter {
 public:
  // A fence's info string. Nothing is guessed: code in no language, or in one that is not known, is
  // Role::code_block.
  explicit Highlighter(std::string_view info);
  ~Highlighter();
  Highlighter(const Highlighter& other);
  Highlighter& operator=(const Highlighter& other);
  Highlighter(Highlighter&& other) noexcept;
  Highlighter& operator=(Highlighter&& other) noexcept;

  // The next line, without its line break: spans whose text, joined, is the line. None for an empty
  // one.
  std::vector<Span> line(std::string_view code);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace confab::ui
