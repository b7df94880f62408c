// SPDX-License-Identifier: MIT
#include "ui/chat_view.h"

#include <algorithm>

namespace confab::ui {
namespace {

constexpr std::string_view kPrompt = "› ";
constexpr int kPromptCols = 2;
constexpr int kMaxMenuRows = 8;

// The rule between conversation and input; what the line editor has to say, and how much is below
// the view, stand on it.
void draw_rule(Frame& frame, Rows row, const ChatView& view) {
  const int cols = frame.cols().value;
  for (int col = 0; col < cols; ++col) frame.write({row, Cols{col}}, "─", {.role = Role::rule});
  std::string hint;
  if (!view.transcript.at_bottom()) {
    const int n = view.transcript.n_new_lines();
    hint = n == 0   ? " ↓ more "
           : n == 1 ? " ↓ 1 new line "
                    : " ↓ " + std::to_string(n) + " new lines ";
  }
  const std::string_view shown = clip(hint, Cols{cols});
  const int hint_cols = width(shown).value;
  frame.write({row, Cols{cols - hint_cols}}, shown, {.role = Role::status_accent});
  std::string message = view.input.message();
  if (message.empty()) message = sanitize(view.hint);
  if (!message.empty())
    frame.write({row, Cols{0}}, ellipsize(message, Cols{cols - hint_cols}), {.role = Role::notice});
}

void draw_input(Frame& frame, Rows top, const InputLayout& layout, int indent) {
  if (indent > 0) frame.write({top, Cols{0}}, kPrompt, {.role = Role::prompt});
  for (std::size_t i = 0; i < layout.lines.size(); ++i) {
    Point at{Rows{top.value + static_cast<int>(i)}, Cols{indent}};
    for (const Span& span : layout.lines[i].spans)
      at.col.value += frame.write(at, span.text, span.style).value;
  }
  frame.cursor = Point{Rows{top.value + layout.caret.row.value},
                       Cols{std::min(indent + layout.caret.col.value, frame.cols().value - 1)}};
}

// What may complete the word at the caret, over the end of the transcript.
void draw_menu(Frame& frame, Rows bottom, const std::vector<Line>& lines, int indent) {
  int row = bottom.value - static_cast<int>(lines.size());
  for (const Line& line : lines) {
    frame.fill(Rows{row}, {});
    Point at{Rows{row++}, Cols{indent}};
    for (const Span& span : line.spans)
      at.col.value += frame.write(at, span.text, span.style).value;
  }
}

}  // namespace

Frame draw_chat(const ChatView& view, Rows rows, Cols cols) {
  Frame frame(Rows{std::max(rows.value, 1)}, Cols{std::max(cols.value, 1)});
  const int n_rows = frame.rows().value;
  const int n_cols = frame.cols().value;
  const int indent = n_cols > 3 * kPromptCols ? kPromptCols : 0;
  const InputLayout layout =
      view.input.layout(Cols{n_cols - indent}, Rows{std::max(n_rows / 3, 1)});
  const int n_input = static_cast<int>(layout.lines.size());
  const int n_rule = n_rows >= 3 ? 1 : 0;
  const int n_status = n_rows >= 4 ? 1 : 0;
  const int n_transcript = n_rows - n_input - n_rule - n_status;

  if (n_transcript > 0) view.transcript.draw(frame, Rows{0}, Rows{n_transcript});
  draw_menu(frame, Rows{n_transcript},
            view.input.menu(Cols{n_cols - indent}, Rows{std::min(n_transcript, kMaxMenuRows)}),
            indent);
  if (n_rule > 0) draw_rule(frame, Rows{n_transcript}, view);
  const Rows input_top{n_transcript + n_rule};
  draw_input(frame, input_top, layout, indent);
  if (view.input.text().empty())
    frame.write({input_top, Cols{indent}},
                ellipsize(sanitize(view.placeholder), Cols{n_cols - indent}), {.role = Role::dim});
  if (!view.writing) frame.cursor.reset();
  if (n_status > 0) draw_status_bar(frame, Rows{n_rows - 1}, view.status);
  return frame;
}

}  // namespace confab::ui
