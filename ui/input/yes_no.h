// SPDX-License-Identifier: MIT
// A question on the last rows that is answered with a key.
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

  // y; n, Escape, Ctrl+C or Ctrl+G.
  Outcome feed(const Key& key) const;
  // Over the whole row and, for a longer question, over those above it, three in all, with the
  // frame's cursor behind it. Of one that is longer still the middle is left out, where names are:
  // what is asked and the keys are always there.
  void draw(Frame& frame, Rows row) const;

 private:
  std::vector<Line> lines(Cols cols, Rows rows) const;

  std::string question_;
};

}  // namespace confab::ui
