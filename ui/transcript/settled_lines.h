// SPDX-License-Identifier: MIT
// A conversation for a terminal that keeps what was said itself: each line once, as soon as it has
// settled, and below them what has not.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ui/style.h"
#include "ui/text.h"
#include "ui/transcript/taken_lines.h"
#include "ui/transcript/transcript_layout.h"
#include "ui/transcript/transcript_painter.h"

namespace confab::ui {

class SettledLines {
 public:
  // Both must outlive the object.
  SettledLines(TranscriptLayout& layout, TranscriptPainter& painter)
      : layout_(layout), painter_(painter), taken_(layout) {}

  // The lines that have settled since the last call, each told once. After the transcript was
  // cleared all there is is new, behind what was not taken before.
  std::vector<Line> take(Cols cols);
  // What has not been taken, at most its last n_lines lines.
  std::vector<Line> rest(Cols cols, int n_lines);
  // Do not tell the first n_items items, or of these only the last n_lines; or tell the last
  // question and what follows.
  void skip(std::size_t n_items);
  void skip_to_last(Cols cols, int n_lines, std::size_t n_items);
  void skip_to_question();

  // An item was inserted before one that has not settled; all items are about to go.
  void inserted(std::size_t item) noexcept { taken_.insert(item); }
  void clearing();

 private:
  void take_lines();

  TranscriptLayout& layout_;
  TranscriptPainter& painter_;
  TakenLines taken_;
  std::optional<std::vector<Line>> told_next_;  // before what taken_ has; nullopt: nobody takes
};

}  // namespace confab::ui
