// SPDX-License-Identifier: MIT
// A conversation on the screen: the part in view, the focus, the search, and how they are drawn.
//
// Only what is in view is laid out, so the cost of a frame depends on what it shows, not on the
// length of the conversation.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ui/frame.h"
#include "ui/style.h"
#include "ui/text.h"
#include "ui/transcript/message_focus.h"
#include "ui/transcript/search_focus.h"
#include "ui/transcript/transcript.h"
#include "ui/transcript/transcript_layout.h"
#include "ui/transcript/transcript_window.h"

namespace confab::ui {

// Makes the lines of a conversation as they stand on the screen. The margin shows who speaks and
// what has the focus. In the text, matches of the search and the focused link, code block or table
// are marked.
class TranscriptPainter {
 public:
  // All must outlive the object.
  TranscriptPainter(TranscriptLayout& layout, TranscriptWindow& window, MessageFocus& focus,
                    SearchFocus& search)
      : layout_(layout), window_(window), focus_(focus), search_(search) {}

  // Sets the width and takes the current focus. line() uses the values of the last call.
  void begin(Cols cols);
  // The same for a view of this height.
  void begin(Cols cols, Rows height);
  Line line(Place place);

 private:
  Cols text_width(Cols cols);
  void mark_part(Line& line, bool first) const;

  TranscriptLayout& layout_;
  TranscriptWindow& window_;
  MessageFocus& focus_;
  SearchFocus& search_;
  bool has_margin_ = false;
  MessageFocus::Lines focused_;
};

// Tracks which lines of a conversation a terminal has taken into its scrollback.
class TakenLines {
 public:
  // The layout must outlive the object.
  explicit TakenLines(TranscriptLayout& layout) : layout_(layout) {}

  // Returns the lines that have settled since the last call, in order, up to the first that has
  // not.
  std::vector<Place> take();
  // Returns where the lines that are not taken begin.
  Place next();
  void skip_to(Place place) noexcept;  // forward only
  void clear() noexcept { next_ = {}; }

  // An item was inserted before one that has not settled.
  void insert(std::size_t item) noexcept;

 private:
  TranscriptLayout& layout_;
  // For an item that grows, its frozen lines count as taken too.
  Place next_;
};

// A conversation for a terminal that keeps it in its scrollback: each line is printed once, when it
// has settled, and the lines that have not settled are shown below.
class SettledLines {
 public:
  // Both must outlive the object.
  SettledLines(TranscriptLayout& layout, TranscriptPainter& painter)
      : layout_(layout), painter_(painter), taken_(layout) {}

  // Returns the lines that have settled since the last call, each line once. After the transcript
  // was cleared, everything is new and comes after what had not been taken before.
  std::vector<Line> take(Cols cols);
  // Returns the lines that have not been taken, at most the last `n_lines`.
  std::vector<Line> rest(Cols cols, int n_lines);
  // Change what take() returns next. skip() leaves out the first n_items items, skip_to_last()
  // all but their last n_lines lines, and skip_to_question() all before the last question.
  void skip(std::size_t n_items);
  void skip_to_last(Cols cols, int n_lines, std::size_t n_items);
  void skip_to_question();

  // An item was inserted before one that has not settled, or all items are about to be removed.
  void inserted(std::size_t item) noexcept { taken_.insert(item); }
  void clearing();

 private:
  void take_lines();

  TranscriptLayout& layout_;
  TranscriptPainter& painter_;
  TakenLines taken_;
  std::optional<std::vector<Line>> told_next_;  // not yet taken; nullopt: never asked for
};

class TranscriptView final : private TranscriptWatcher {
 public:
  // The only view of its transcript, which must outlive it.
  explicit TranscriptView(Transcript& transcript);
  ~TranscriptView();
  TranscriptView(const TranscriptView&) = delete;
  TranscriptView& operator=(const TranscriptView&) = delete;

  TranscriptWindow& window() noexcept { return window_; }
  MessageFocus& focus() noexcept { return focus_; }
  SearchFocus& search() noexcept { return search_; }
  // Used in place of draw() if the terminal has the conversation in its scrollback.
  SettledLines& settled() noexcept { return settled_; }

  // Draws into rows [top, top + height) of the frame, over its whole width. A short transcript
  // starts at the top.
  void draw(Frame& frame, Rows top, Rows height);

 private:
  void asked() override;
  void inserted(std::size_t item) override;
  void shortened() override;
  void clearing() override;

  Transcript& transcript_;
  TranscriptWindow window_;
  MessageFocus focus_;
  SearchFocus search_;
  TranscriptPainter painter_;
  SettledLines settled_;
};

}  // namespace confab::ui
