// SPDX-License-Identifier: MIT
// A conversation on the screen: which part of it is in view, what in it has the focus, what is
// looked for, and how it is drawn.
//
// Only what is in view is laid out, so that a frame costs what it shows, not what was said.
#pragma once

#include <cstddef>

#include "ui/frame.h"
#include "ui/transcript/message_focus.h"
#include "ui/transcript/search_focus.h"
#include "ui/transcript/settled_lines.h"
#include "ui/transcript/transcript.h"
#include "ui/transcript/transcript_painter.h"
#include "ui/transcript/transcript_window.h"

namespace confab::ui {

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
