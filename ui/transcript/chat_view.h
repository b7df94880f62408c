// SPDX-License-Identifier: MIT
// The chat screen: the conversation above, the text being written below it, the status line last.
#pragma once

#include <string>

#include "ui/frame.h"
#include "ui/input/input_line.h"
#include "ui/transcript/status_bar.h"
#include "ui/transcript/transcript_view.h"

namespace confab::ui {

struct ChatView {
  TranscriptView& transcript;
  InputLine& input;
  StatusBar status = {};
  std::string placeholder = {};  // shown, dim, while nothing is written
  std::string hint = {};         // on the rule: what keys do now
  bool writing = true;           // the input has the cursor
};

// The screen at this size, at least 1x1. The input grows with its text up to a third of the rows;
// where rows are few, the status line goes first, then the rule above the input, then the
// conversation.
Frame draw_chat(const ChatView& view, Rows rows, Cols cols);
// The same where the terminal has the conversation in its scrollback: of that only what has not
// settled, and no more rows than are needed.
Frame draw_live(const ChatView& view, Rows rows, Cols cols);

}  // namespace confab::ui
