// SPDX-License-Identifier: MIT
// What is looked for in a conversation, and the one of its places that somebody is at.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "ui/transcript/transcript_search.h"
#include "ui/transcript/transcript_window.h"

namespace confab::ui {

class SearchFocus {
 public:
  // Both must outlive the object.
  SearchFocus(TranscriptLayout& layout, TranscriptWindow& window)
      : layout_(layout), window_(window), search_(layout) {}

  // What is looked for; empty: nothing. Brings the nearest place into view: in what is shown or
  // above it, else below. False: it is nowhere.
  bool find(std::string_view words);
  // The next place below (1) or above (-1), around the ends.
  bool find_next(int direction);

  // Of all places the one that somebody is at, from 1; 0 when there is none.
  struct Standing {
    std::size_t at = 0, all = 0;
    int wrapped = 0;  // the last step went around the end, to the top (1) or to the bottom (-1)
  };
  Standing standing();
  bool active() const noexcept { return !search_.words().empty(); }

  // A line of an item with what is found in it marked.
  Line line(std::size_t item, std::size_t line) { return search_.marked(item, line, found_); }

  // Of the transcript: somebody stays at the place that was found while an answer is written.
  void inserted(std::size_t item) noexcept;
  void shortened() noexcept;
  void clearing() noexcept;

 private:
  void show_found();

  TranscriptLayout& layout_;
  TranscriptWindow& window_;
  TranscriptSearch search_;
  std::optional<TranscriptSearch::Found> found_;
  int wrapped_ = 0;
};

}  // namespace confab::ui
