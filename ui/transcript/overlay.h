// SPDX-License-Identifier: MIT
// A text over the screen, to be read and left: it scrolls, and typing looks for words in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ui/event.h"
#include "ui/find_text.h"
#include "ui/frame.h"
#include "ui/input/prompt_line.h"

namespace confab::ui {

class Overlay {
 public:
  enum class Outcome { open, left };

  // Both are untrusted. Lines with columns hang in them, as wrap_hanging() has it; those that end
  // in a colon are headings.
  Overlay(std::string_view title, std::string_view text);

  // Up, Down, Ctrl+P, Ctrl+N, PgUp, PgDn, Home and End scroll; letters are looked for, and Enter
  // goes to the next place. Escape gives the words up, then leaves, as Ctrl+C does at once.
  Outcome feed(const Key& key);
  void paste(std::string_view text);

  // Over the whole frame.
  void draw(Frame& frame);

 private:
  bool feed_scroll(const Key& key);
  void scroll_to(int line);  // as far as there is text
  void lay_out(Cols width);
  void find();
  void show_found(int direction);
  std::string found_text() const;
  Line marked(std::size_t line) const;

  std::string title_;
  std::string text_;
  PromptLine query_;
  Cols width_{0};
  std::vector<Line> lines_;
  std::vector<TextMatch> found_;
  std::size_t current_ = 0;  // of them
  int first_ = 0;            // line in view
  int page_ = 1;             // rows of it, of the last draw
};

}  // namespace confab::ui
