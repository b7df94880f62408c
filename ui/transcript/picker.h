// SPDX-License-Identifier: MIT
// A list over the screen to choose one entry from, by typing a few letters of it.
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
  std::string key;                              // what the caller knows it by
  std::string text;                             // what it is called
  std::string detail;                           // beside it, dim
  std::vector<std::size_t> marked = {};         // bytes of the text that match what was typed
  std::vector<std::size_t> detail_marked = {};  // and of the detail
};

// What a picker asks in its last rows.
struct PickerQuestion {
  std::string label;
  std::optional<std::string> text = {};          // to be changed; none: y or n is the answer
  std::function<void(const std::string&)> done;  // not called for a no, or when it is left
};

// What a key of a list's own has done to an entry, or asks before it does it.
struct PickerAct {
  std::string title = {};  // of the list from here on; empty: as it was
  std::optional<PickerQuestion> question = {};
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
    // In the last row, the most useful first; as many as fit.
    std::vector<std::string> keys = {"Enter choose", "↑↓ move", "Esc close"};
    // Asked about keys that neither move nor choose, before they edit the query; nullopt: it is not
    // one of the list's own. What find() gives is asked for again when it is done.
    std::function<std::optional<PickerAct>(const Key& key, const PickerEntry& entry)> act = {};
  };
  enum class Outcome { open, chosen, cancelled };

  explicit Picker(Source source);

  // Up, Down, Ctrl+P, Ctrl+N, PgUp and PgDn move; Enter and Tab choose, Escape and Ctrl+C cancel;
  // other keys edit the query.
  Outcome feed(const Key& key);
  Outcome feed(const Click& click);  // on an entry, which it chooses
  void paste(std::string_view text);
  void move_to(std::string_view key);

  const std::string& query() const noexcept { return query_.text(); }
  const PickerEntry* current() const noexcept;  // null: there is none

  // Over the whole frame; the cursor is behind the query.
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
  std::size_t first_ = 0;           // in view
  Point origin_{Rows{1}, Cols{0}};  // of the list, of the last draw; its rows and columns
  int page_ = 1;
  Cols width_{0};
  std::optional<PickerQuestion> question_;
  std::variant<YesNo, PromptLine> asking_{YesNo("")};  // while there is a question
};

}  // namespace confab::ui
