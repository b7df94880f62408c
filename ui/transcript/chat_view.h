// SPDX-License-Identifier: MIT
// The chat screen: the conversation above, the text being written below it, the status line last.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ui/event.h"
#include "ui/frame.h"
#include "ui/input/input_line.h"
#include "ui/transcript/status_bar.h"
#include "ui/transcript/transcript_view.h"

namespace confab::ui {

// A text above the rule, of at most `most` rows.
struct Remark {
  std::string text;  // untrusted
  Role role = Role::notice;
  int most = 3;
  bool operator==(const Remark&) const = default;
};

inline constexpr int kFirstRows = 6;

struct ChatView {
  TranscriptView& transcript;
  InputLine& input;
  StatusBar status = {};
  std::string placeholder = {};  // shown, dim, while nothing is written
  std::string hint = {};         // on the rule: what keys do now
  bool writing = true;           // the input has the cursor
  // In the place of a conversation in which nothing has been said, at most kFirstRows rows.
  std::vector<Remark> first = {};
  std::vector<Remark> above = {};      // right above the rule
  std::vector<std::string> keys = {};  // the last row, as many as fit
  std::string behind = {};             // shown, dim, behind the caret
  // What can be chosen, above the rule; none: what the input has.
  std::function<std::vector<Line>(Cols width, Rows rows)> menu = {};
};

// The screen at this size, at least 1x1. The input grows with its text up to a third of the rows;
// where rows are few, the keys go first, then the status line, then the rule above the input, then
// the conversation.
Frame draw_chat(const ChatView& view, Rows rows, Cols cols);
// The same where the terminal has the conversation in its scrollback: of that only what has not
// settled, and no more rows than are needed.
Frame draw_live(const ChatView& view, Rows rows, Cols cols);

// A row of what can be chosen, and how many of these are shown.
struct MenuRow {
  std::size_t row = 0;
  std::size_t n_rows = 0;
};
// What of it a click on draw_chat()'s screen was on; nullopt: on something else.
std::optional<MenuRow> menu_row_at(const ChatView& view, Rows rows, Cols cols, const Click& click);

}  // namespace confab::ui
