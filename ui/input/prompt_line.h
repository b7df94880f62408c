// SPDX-License-Identifier: MIT
// A short text that is asked for: what to look for, what to call a file. One line, without history.
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
    unknown,  // not a key of this line
    moved,    // the caret at most
    edited,
    done,       // Enter
    cancelled,  // Escape, Ctrl+C or Ctrl+G
  };

  explicit PromptLine(std::string_view label, std::string_view text = {});

  // Letters, Backspace, Delete, Left, Right, Ctrl+A, E, U, W, H, Home and End edit.
  Outcome feed(const Key& key);
  void paste(std::string_view text);

  const std::string& text() const noexcept { return text_; }
  void set_label(std::string_view label);

  // Over the whole row, with the frame's cursor at the caret; of a text that is too long, the part
  // around it.
  void draw(Frame& frame, Rows row) const;

 private:
  Outcome feed_control(char32_t letter);
  void insert(std::string_view text);
  Outcome erase(std::size_t begin, std::size_t end);
  std::size_t before() const;
  std::size_t after() const;

  std::string label_;  // sanitised, as the text
  std::string text_;
  std::size_t caret_ = 0;
};

}  // namespace confab::ui
