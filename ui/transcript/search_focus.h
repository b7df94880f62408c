// SPDX-License-Identifier: MIT
// What is looked for in a conversation, and the one of its places that somebody is at.
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

// What is looked for in a conversation, and where it is found.
class TranscriptSearch {
 public:
  // One of the places in an item.
  struct Found {
    std::size_t item;
    std::size_t match;
    auto operator<=>(const Found&) const = default;
  };

  // The layout is borrowed; items may only be added to it at its end, unless forget() is called.
  explicit TranscriptSearch(TranscriptLayout& layout) : layout_(layout) {}

  void set_words(std::string_view words);
  const std::string& words() const noexcept { return words_; }
  void forget() noexcept;  // where things are: items have changed places

  // The last one that begins before `end`, else the first one; nullopt: there is none.
  std::optional<Found> nearest(Place end);
  std::optional<Found> next(const Found& from, int direction);
  Place place(const Found& found);
  // How many places there are, and which of them one is, from 1. All items are looked through.
  std::size_t size();
  std::size_t rank(const Found& found);

  // The line of an item with what is found in it marked, `current` apart from the others.
  Line marked(std::size_t item, std::size_t line, const std::optional<Found>& current);

 private:
  struct Matches {
    std::size_t revision;  // of the item when it was looked through
    std::vector<TextMatch> all;
  };
  const std::vector<TextMatch>& matches(std::size_t item);

  TranscriptLayout& layout_;
  std::string words_;
  Cols width_{0};
  std::map<std::size_t, Matches> found_;  // by item
};

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
