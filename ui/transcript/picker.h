// SPDX-License-Identifier: MIT
// A list over the screen in which a person chooses an entry by typing a few of its letters.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ui/event.h"
#include "ui/frame.h"
#include "ui/input/prompt_line.h"
#include "ui/input/yes_no.h"

namespace confab::ui {

// All text is untrusted.
struct PickerEntry {
  std::string key;                              // identifies the entry for the caller
  std::string text;                             // its name
  std::string detail;                           // beside it, dim
  std::vector<std::size_t> marked = {};         // byte offsets of `text` that match the query
  std::vector<std::size_t> detail_marked = {};  // the same for `detail`
};

// A question in the last rows of a picker.
struct PickerQuestion {
  std::string label;
  std::optional<std::string> text = {};  // the text to edit; if not set, the answer is y or n
  std::function<void(const std::string&)> done;  // not called on no or cancel
};

// What a key specific to this list did to an entry, or asks before doing it.
struct PickerAct {
  std::string title = {};  // the new title of the list; empty: unchanged
  std::optional<PickerQuestion> question = {};
};

// Returns the entries whose text matches the query, the best first. An empty query returns all of
// them in their order.
std::vector<PickerEntry> fuzzy_filter(const std::vector<PickerEntry>& entries,
                                      std::string_view query);

class Picker {
 public:
  struct Source {
    std::string title;
    // Returns the entries for a query. Called when the query changes.
    std::function<std::vector<PickerEntry>(std::string_view query)> find;
    // Returns lines that show what an entry stands for, sanitised and at most this wide. May be
    // empty.
    std::function<std::vector<Line>(const PickerEntry& entry, Cols width)> preview = {};
    std::string empty = "Nothing matches.";  // shown when there are no entries
    // Shown in the last row, the most useful first, as many as fit.
    std::vector<std::string> keys = {"Enter choose", "↑↓ move", "Esc close"};
    // Called for keys that neither move nor choose, before they edit the query. Returns nullopt if
    // the key is not specific to this list. After an act find() is called again.
    std::function<std::optional<PickerAct>(const Key& key, const PickerEntry& entry)> act = {};
  };
  enum class Outcome { open, chosen, cancelled };

  explicit Picker(Source source);

  // Up, Down, Ctrl+P, Ctrl+N, PgUp and PgDn move. Enter and Tab choose, Escape and Ctrl+C cancel.
  // Other keys edit the query.
  Outcome feed(const Key& key);
  Outcome feed(const Click& click);  // a click on an entry chooses it
  void paste(std::string_view text);
  void move_to(std::string_view key);

  const std::string& query() const noexcept { return query_.text(); }
  const PickerEntry* current() const noexcept;  // null if there are no entries

  // Draws over the whole frame. The cursor is behind the query.
  void draw(Frame& frame);

 private:
  bool feed_move(const Key& key);
  void feed_question(const Key& key);
  bool act(const Key& key);
  void find_again();
  void move(int n);
  void find();
  void draw_list(Frame& frame, int height);
  void draw_entries(Frame& frame, Rows top, Rows height, Cols width);
  void draw_entry(Frame& frame, Rows row, Cols width, const PickerEntry& entry, bool chosen) const;
  void draw_preview(Frame& frame, Point origin, Rows height) const;
  void draw_last_row(Frame& frame, Rows row) const;

  Source source_;
  PromptLine query_;
  std::vector<PickerEntry> entries_;
  std::size_t chosen_ = 0;
  std::size_t first_ = 0;           // first entry in view
  Point origin_{Rows{1}, Cols{0}};  // of the list in the last draw, with page_ and width_
  int page_ = 1;
  Cols width_{0};
  std::optional<PickerQuestion> question_;
  std::variant<YesNo, PromptLine> asking_{YesNo("")};  // valid while question_ is set
};

}  // namespace confab::ui
