// SPDX-License-Identifier: MIT
// A conversation on the screen: which part of it is in view, what in it has the focus, what is
// looked for, and how it is drawn.
//
// Only what is in view is laid out, so that a frame costs what it shows, not what was said.
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

// The lines of a conversation as they stand on the screen: in the margin who speaks and what has
// the focus, in the text what a search has found and the link, code block or table that has it.
class TranscriptPainter {
 public:
  // All must outlive the object.
  TranscriptPainter(TranscriptLayout& layout, TranscriptWindow& window, MessageFocus& focus,
                    SearchFocus& search)
      : layout_(layout), window_(window), focus_(focus), search_(search) {}

  // Takes in the columns that there are, and what has the focus now. Lines are made for the last
  // ones taken in.
  void begin(Cols cols);
  // The same for a view of its own, of this height.
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

// Which lines of a conversation have been taken by a terminal that keeps them in its scrollback.
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

// A conversation for a terminal that keeps what was said itself: each line once, as soon as it has
// settled, and below them what has not.
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

class TranscriptView final : private TranscriptWatcher {
 public:
  // The only one of its transcript, which must outlive it.
  explicit TranscriptView(Transcript& transcript);
  ~TranscriptView();
  TranscriptView(const TranscriptView&) = delete;
  TranscriptView& operator=(const TranscriptView&) = delete;

  TranscriptWindow& window() noexcept { return window_; }
  MessageFocus& focus() noexcept { return focus_; }
  SearchFocus& search() noexcept { return search_; }
  // Instead of draw(), where the terminal has the conversation in its scrollback.
  SettledLines& settled() noexcept { return settled_; }

  // Draws into rows [top, top + height) of the frame, over its whole width. Short transcripts start
  // at the top.
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
