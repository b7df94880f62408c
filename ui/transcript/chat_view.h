// SPDX-License-Identifier: MIT
// The chat screen: the conversation, below it the text being written, and the status line last.
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
  std::string placeholder = {};  // shown dim while nothing is written
  std::string hint = {};         // on the rule: what the keys do now
  bool writing = true;           // the input has the cursor
  // Shown in place of a conversation that is still empty, in at most kFirstRows rows.
  std::vector<Remark> first = {};
  std::vector<Remark> above = {};      // directly above the rule
  std::vector<std::string> keys = {};  // in the last row, as many as fit
  std::string behind = {};             // shown dim behind the caret
  // Lines to choose from, above the rule. If it is not set, the input's own menu is shown.
  std::function<std::vector<Line>(Cols width, Rows rows)> menu = {};
};

// Draws the screen at this size, at least 1x1. The input grows with its text up to a third of the
// rows. If rows are few, the keys are left out first, then the status line, then the rule above the
// input, and the conversation last.
Frame draw_chat(const ChatView& view, Rows rows, Cols cols);
// The same for a terminal that has the conversation in its scrollback. Of the conversation it shows
// only what has not settled, and it uses no more rows than necessary.
Frame draw_live(const ChatView& view, Rows rows, Cols cols);

// A row of the menu, and how many rows are shown.
struct MenuRow {
  std::size_t row = 0;
  std::size_t n_rows = 0;
};
// Which row of the menu was clicked on the screen that draw_chat() draws. nullopt: none.
std::optional<MenuRow> menu_row_at(const ChatView& view, Rows rows, Cols cols, const Click& click);

}  // namespace confab::ui
