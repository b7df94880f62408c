// SPDX-License-Identifier: MIT
// Long pastes folded away: in the line being written each is one character of a private use plane,
// which the line editor moves over, deletes and brings back as it does any other. Nothing that is
// typed or pasted may hold such a character itself: see without_chips().
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace confab::ui {

class PasteChips {
 public:
  // Pastes of more lines are folded.
  static constexpr int kMaxOpenLines = 10;
  static constexpr std::size_t kMaxChips = 4000;

  // The character that stands for a text from now on, also after it was deleted or sent: it may
  // come back by undo. nullopt: the text is short, or there are kMaxChips.
  std::optional<std::string> fold(std::string_view text);

  // The chip that a line begins with. Its label: "[paste #1: 34 lines, 1.2 KB]".
  struct Chip {
    std::size_t n_bytes;  // of its character
    std::string_view label;
    std::string_view text;
  };
  std::optional<Chip> at(std::string_view line) const;
  // Where the chip begins that is under the caret, else the last one before it, else the first one.
  std::optional<std::size_t> nearest(std::string_view line, std::size_t caret) const;
  bool empty() const noexcept { return pastes_.empty(); }

  // A line with the texts in the place of their chips.
  std::string expand(std::string_view line) const;

  // Characters that could be taken for a chip made U+FFFD.
  static std::string without_chips(std::string_view text);

 private:
  struct Paste {
    std::string label;
    std::string text;
  };
  std::vector<Paste> pastes_;
};

}  // namespace confab::ui
