// SPDX-License-Identifier: MIT
// The search in a conversation, and the match that has the focus.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/find_text.h"
#include "ui/transcript/transcript_layout.h"
#include "ui/transcript/transcript_window.h"

namespace confab::ui {

// The words of a search and where they occur in a conversation.
class TranscriptSearch {
 public:
  // A match in an item.
  struct Found {
    std::size_t item;
    std::size_t match;
    auto operator<=>(const Found&) const = default;
  };

  // The layout is borrowed. Items may only be added at its end, unless forget() is called.
  explicit TranscriptSearch(TranscriptLayout& layout) : layout_(layout) {}

  void set_words(std::string_view words);
  const std::string& words() const noexcept { return words_; }
  void forget() noexcept;  // call it when items have moved; drops all matches

  // Returns the last match that begins before `end`, else the first one after it. nullopt: no
  // match.
  std::optional<Found> nearest(Place end);
  std::optional<Found> next(const Found& from, int direction);
  Place place(const Found& found);
  // The number of matches, and the rank of one of them, from 1. Both search all items.
  std::size_t size();
  std::size_t rank(const Found& found);

  // Returns a line of an item with its matches marked, `current` differently from the others.
  Line marked(std::size_t item, std::size_t line, const std::optional<Found>& current);

 private:
  struct Matches {
    std::size_t revision;  // of the item when it was searched
    std::vector<TextMatch> all;
  };
  const std::vector<TextMatch>& matches(std::size_t item);

  TranscriptLayout& layout_;
  std::string words_;
  Cols width_{0};
  std::map<std::size_t, Matches> found_;  // keyed by item
};

class SearchFocus {
 public:
  // Both must outlive the object.
  SearchFocus(TranscriptLayout& layout, TranscriptWindow& window)
      : layout_(layout), window_(window), search_(layout) {}

  // Starts a search; empty words end it. Brings the nearest match into view: within or above what
  // is shown, else below. Returns false if there is no match.
  bool find(std::string_view words);
  // Moves to the next match below (1) or above (-1), around the ends.
  bool find_next(int direction);

  // The rank of the focused match among all, from 1; 0 if there is none.
  struct Standing {
    std::size_t at = 0, all = 0;
    int wrapped = 0;  // the last step wrapped around: to the top (1) or to the bottom (-1)
  };
  Standing standing();
  bool active() const noexcept { return !search_.words().empty(); }

  // A line of an item with its matches marked.
  Line line(std::size_t item, std::size_t line) { return search_.marked(item, line, found_); }

  // The transcript changed. The focus stays at its match while an answer is written.
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
