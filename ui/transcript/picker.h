// SPDX-License-Identifier: MIT
// A list over the screen to choose one entry from, by typing a few letters of it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/event.h"
#include "ui/frame.h"
#include "ui/input/prompt_line.h"

namespace confab::ui {

// All text is untrusted.
struct PickerEntry {
  std::string key;                       // what the caller knows it by
  std::string text;                      // what it is called
  std::string detail;                    // beside it, dim
  std::vector<std::size_t> marked = {};  // bytes of the text that match what was typed
};

// The entries whose text matches the query, the best first; all, in their order, without one.
std::vector<PickerEntry> fuzzy_filter(const std::vector<PickerEntry>& entries,
                                      std::string_view query);

class Picker {
 public:
  struct Source {
    std::string title;
    // The entries for what was typed; called when that changes.
    std::function<std::vector<PickerEntry>(std::string_view query)> find;
    // Lines, sanitised, of at most this width, that show what an entry stands for; may be empty.
    std::function<std::vector<Line>(const PickerEntry& entry, Cols width)> preview = {};
    std::string empty = "Nothing matches.";  // shown when there are no entries
  };
  enum class Outcome { open, chosen, cancelled };

  explicit Picker(Source source);

  // Up, Down, Ctrl+P, Ctrl+N, PgUp and PgDn move; Enter and Tab choose, Escape and Ctrl+C cancel;
  // other keys edit the query.
  Outcome feed(const Key& key);
  void paste(std::string_view text);
  void find_again();  // the source has changed
  void move_to(std::string_view key);

  const std::string& query() const noexcept { return query_.text(); }
  const PickerEntry* current() const noexcept;  // null: there is none

  // Over the whole frame; the cursor is behind the query.
  void draw(Frame& frame);

 private:
  bool feed_move(const Key& key);
  void move(int n);
  void find();
  void draw_entries(Frame& frame, Rows top, Rows height, Cols width);
  void draw_entry(Frame& frame, Rows row, Cols width, const PickerEntry& entry, bool chosen) const;
  void draw_preview(Frame& frame, Point origin, Rows height) const;

  Source source_;
  PromptLine query_;
  std::vector<PickerEntry> entries_;
  std::size_t chosen_ = 0;
  std::size_t first_ = 0;  // in view
  int page_ = 1;           // rows of the list, of the last draw
};

}  // namespace confab::ui
