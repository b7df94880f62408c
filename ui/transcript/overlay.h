// SPDX-License-Identifier: MIT
// A text shown over the screen. It scrolls, and typing searches it.
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

  // Both are untrusted. Lines with columns wrap as in wrap_hanging(). A line that ends in a colon
  // is a heading.
  Overlay(std::string_view title, std::string_view text);

  // Up, Down, Ctrl+P, Ctrl+N, PgUp, PgDn, Home and End scroll. Letters search, and Enter goes to
  // the next match. Escape clears the search, then closes the overlay; Ctrl+C closes it at once.
  Outcome feed(const Key& key);
  void paste(std::string_view text);

  // Draws over the whole frame.
  void draw(Frame& frame);

 private:
  bool feed_scroll(const Key& key);
  void scroll_to(int line);  // limited to the text
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
  std::size_t current_ = 0;  // index into found_
  int first_ = 0;            // first line in view
  int page_ = 1;             // rows of text in the last draw
};

}  // namespace confab::ui
