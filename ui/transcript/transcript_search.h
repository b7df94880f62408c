// SPDX-License-Identifier: MIT
// What is looked for in a conversation, and where it is found. Only
// search_focus.cpp needs this.
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

namespace confab::ui {

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

}  // namespace confab::ui
