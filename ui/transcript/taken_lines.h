// SPDX-License-Identifier: MIT
// Which lines of a conversation have been taken by a terminal that keeps them in its scrollback.
// Only settled_lines.cpp needs this.
#pragma once

#include <cstddef>
#include <vector>

#include "ui/transcript/transcript_layout.h"

namespace confab::ui {

class TakenLines {
 public:
  // The layout must outlive the object.
  explicit TakenLines(TranscriptLayout& layout) : layout_(layout) {}

  // The lines that have settled since the last call, in order, up to the first that has not.
  std::vector<Place> take();
  // Where what has not been taken begins.
  Place next();
  void skip_to(Place place) noexcept;  // forward only
  void clear() noexcept { next_ = {}; }

  // An item was inserted before one that has not settled.
  void insert(std::size_t item) noexcept;

 private:
  TranscriptLayout& layout_;
  // Of an item that grows, the lines that it keeps have been taken as well.
  Place next_;
};

}  // namespace confab::ui
