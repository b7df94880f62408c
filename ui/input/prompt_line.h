// SPDX-License-Identifier: MIT
// Asks for a short text: what to search for, what to call a file. It is one line, without history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ui/event.h"
#include "ui/frame.h"

namespace confab::ui {

class PromptLine {
 public:
  enum class Outcome : std::uint8_t {
    unknown,  // this line does not use the key
    moved,    // at most the caret moved
    edited,
    done,       // Enter
    cancelled,  // Escape, Ctrl+C or Ctrl+G
  };

  explicit PromptLine(std::string_view label, std::string_view text = {});

  // Letters, Backspace, Delete, Left, Right, Ctrl+A, E, U, W, H, Home and End edit the line.
  Outcome feed(const Key& key);
  void paste(std::string_view text);

  const std::string& text() const noexcept { return text_; }
  void set_label(std::string_view label);

  // Draws over the whole row and puts the frame's cursor at the caret. If the text is too long,
  // only the part around the caret shows.
  void draw(Frame& frame, Rows row) const;

 private:
  Outcome feed_control(char32_t letter);
  void insert(std::string_view text);
  Outcome erase(std::size_t begin, std::size_t end);
  std::size_t before() const;
  std::size_t after() const;

  std::string label_;  // sanitised, like the text
  std::string text_;
  std::size_t caret_ = 0;
};

}  // namespace confab::ui
