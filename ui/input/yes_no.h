// SPDX-License-Identifier: MIT
// A question on the last rows that one key answers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/event.h"
#include "ui/frame.h"

namespace confab::ui {

class YesNo {
 public:
  enum class Outcome { open, yes, no };

  explicit YesNo(std::string_view question);  // untrusted

  // y means yes; n, Escape, Ctrl+C and Ctrl+G mean no.
  Outcome feed(const Key& key) const;
  // Draws over the whole row and, for a long question, over up to two rows above it, and puts the
  // frame's cursor behind it. If that is still too little, the middle of the question, where names
  // stand, is left out, so the question itself and the keys always show.
  void draw(Frame& frame, Rows row) const;

 private:
  std::vector<Line> lines(Cols cols, Rows rows) const;

  std::string question_;
};

}  // namespace confab::ui
