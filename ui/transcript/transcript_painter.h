// SPDX-License-Identifier: MIT
// The lines of a conversation as they stand on the screen: in the margin who speaks and what has
// the focus, in the text what a search has found and the link, code block or table that has it.
#pragma once

#include "ui/transcript/message_focus.h"
#include "ui/transcript/search_focus.h"
#include "ui/transcript/transcript_layout.h"
#include "ui/transcript/transcript_window.h"

namespace confab::ui {

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

}  // namespace confab::ui
