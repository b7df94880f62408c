// SPDX-License-Identifier: MIT
// A question on one row that is answered with a key.
#pragma once

#include <string>
#include <string_view>

#include "ui/event.h"
#include "ui/frame.h"

namespace confab::ui {

class YesNo {
 public:
  enum class Outcome { open, yes, no };

  explicit YesNo(std::string_view question);  // untrusted

  // y; n, Escape, Ctrl+C or Ctrl+G.
  Outcome feed(const Key& key) const;
  // Over the whole row, with the frame's cursor behind it. The keys stand there however long the
  // question is.
  void draw(Frame& frame, Rows row) const;

 private:
  std::string question_;
};

}  // namespace confab::ui
