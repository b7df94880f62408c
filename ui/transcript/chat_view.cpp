// SPDX-License-Identifier: MIT
#include "ui/transcript/chat_view.h"

#include <algorithm>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

constexpr std::string_view kPrompt = "› ";
constexpr int kPromptCols = 2;
constexpr int kMaxMenuRows = 8;  // for the input's menu
constexpr int kMaxListRows = 14;
constexpr int kKeysFromRows = 12;

// Draws the rule between conversation and input. The line editor's message and the number of lines
// below the view stand on it.
void draw_rule(Frame& frame, Rows row, const ChatView& view) {
  const int cols = frame.cols().value;
  for (int col = 0; col < cols; ++col) frame.write({row, Cols{col}}, "─", {.role = Role::rule});
  std::string hint;
  if (!view.transcript.window().at_bottom()) {
    const int n = view.transcript.window().n_new_lines();
    hint = n == 0   ? " ↓ more "
           : n == 1 ? " ↓ 1 new line "
                    : " ↓ " + std::to_string(n) + " new lines ";
  }
  const std::string_view shown = clip(hint, Cols{cols});
  const int hint_cols = width(shown).value;
  frame.write({row, Cols{cols - hint_cols}}, shown, {.role = Role::status_accent});
  std::string message = view.input.message();
  if (message.empty() && !view.hint.empty()) message = sanitize(view.hint) + ' ';
  if (!message.empty())
    frame.write({row, Cols{0}}, ellipsize(message, Cols{cols - hint_cols}), {.role = Role::notice});
}

void write_lines(Frame& frame, Point at, const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    frame.write(at, line);
    ++at.row.value;
  }
}

void draw_input(Frame& frame, Rows top, const InputLayout& layout, int indent) {
  if (indent > 0) frame.write({top, Cols{0}}, kPrompt, {.role = Role::prompt});
  write_lines(frame, {top, Cols{indent}}, layout.lines);
  frame.cursor = Point{Rows{top.value + layout.caret.row.value},
                       Cols{std::min(indent + layout.caret.col.value, frame.cols().value - 1)}};
}

// Draws the menu over the end of the transcript.
void draw_menu(Frame& frame, Rows bottom, const std::vector<Line>& lines, int indent) {
  int row = bottom.value - static_cast<int>(lines.size());
  for (const Line& line : lines) {
    frame.fill(Rows{row}, {});
    frame.write({Rows{row++}, Cols{indent}}, line);
  }
}

// The lines directly above the rule. Each text is cut to its rows, and only the first lines are
// kept if there are too few rows.
std::vector<Line> remark_lines(const std::vector<Remark>& remarks, Cols width, int n_rows) {
  std::vector<Line> lines;
  for (const Remark& remark : remarks) {
    std::vector<Line> wrapped = wrap_text(remark.text, {.role = remark.role}, width);
    const auto most = static_cast<std::size_t>(std::max(remark.most, 1));
    if (wrapped.size() > most) {
      wrapped.resize(most);
      const std::string last = to_text(wrapped.back()) + "…";
      wrapped.back() = {{{ellipsize(last, width), {.role = remark.role}}}};
    }
    lines.insert(lines.end(), wrapped.begin(), wrapped.end());
  }
  lines.resize(std::min(lines.size(), static_cast<std::size_t>(std::max(n_rows, 0))));
  return lines;
}

// The parts below the conversation.
struct Parts {
  InputLayout input;
  std::vector<Line> above;
  int indent;  // indent of the input
  int n_rule;
  int n_status;
  int n_keys;

  int n_above() const { return static_cast<int>(above.size()); }
  int n_below() const {
    return n_above() + n_rule + static_cast<int>(input.lines.size()) + n_status + n_keys;
  }
};

std::vector<Line> menu_lines(const ChatView& view, Cols width, int n_rows) {
  if (view.menu) return view.menu(width, Rows{std::min(n_rows, kMaxListRows)});
  return view.input.menu(width, Rows{std::min(n_rows, kMaxMenuRows)});
}

Parts divide(const ChatView& view, Rows rows, Cols cols) {
  const int indent = cols.value > 3 * kPromptCols ? kPromptCols : 0;
  const Cols width{cols.value - indent};
  return {.input = view.input.layout(width, Rows{std::max(rows.value / 3, 1)}),
          .above = remark_lines(view.above, width, rows.value / 3),
          .indent = indent,
          .n_rule = rows >= Rows{3} ? 1 : 0,
          .n_status = rows >= Rows{4} ? 1 : 0,
          .n_keys = rows.value >= kKeysFromRows && !view.keys.empty() ? 1 : 0};
}

// Draws everything from this row to the end.
void draw_below(Frame& frame, Rows top, const ChatView& view, const Parts& parts) {
  const Cols width{frame.cols().value - parts.indent};
  draw_menu(frame, top, menu_lines(view, width, top.value), parts.indent);
  write_lines(frame, {top, Cols{parts.indent}}, parts.above);
  const Rows rule{top.value + parts.n_above()};
  if (parts.n_rule > 0) draw_rule(frame, rule, view);
  const Rows input_top{rule.value + parts.n_rule};
  draw_input(frame, input_top, parts.input, parts.indent);
  if (view.input.text().empty())
    frame.write({input_top, Cols{parts.indent}}, ellipsize(sanitize(view.placeholder), width),
                {.role = Role::dim});
  const Cols beside{frame.cols().value - frame.cursor->col.value};
  frame.write(*frame.cursor, ellipsize(sanitize(view.behind), beside), {.role = Role::dim});
  if (!view.writing) frame.cursor.reset();
  const int last = frame.rows().value - 1;
  if (parts.n_status > 0) draw_status_bar(frame, Rows{last - parts.n_keys}, view.status);
  if (parts.n_keys == 0) return;
  const std::string keys = key_hints(view.keys, Cols{frame.cols().value - 2});
  frame.write({Rows{last}, Cols{1}}, keys, {.role = Role::dim});
}

// The text in place of an empty conversation, with its margin.
std::vector<Line> first_lines(const ChatView& view, Cols cols, int n_rows) {
  const int margin = cols.value > 3 * kPromptCols ? kPromptCols : 0;
  std::vector<Line> lines =
      remark_lines(view.first, Cols{cols.value - margin}, std::min(n_rows, kFirstRows));
  const Span space{std::string(static_cast<std::size_t>(margin), ' '), {}};
  for (Line& line : lines) line.spans.insert(line.spans.begin(), space);
  return lines;
}

}  // namespace

Frame draw_chat(const ChatView& view, Rows rows, Cols cols) {
  Frame frame(Rows{std::max(rows.value, 1)}, Cols{std::max(cols.value, 1)});
  const Parts parts = divide(view, frame.rows(), frame.cols());
  const int n_transcript = frame.rows().value - parts.n_below();
  if (n_transcript > 0) view.transcript.draw(frame, Rows{0}, Rows{n_transcript});
  write_lines(frame, {}, first_lines(view, frame.cols(), n_transcript));
  draw_below(frame, Rows{n_transcript}, view, parts);
  return frame;
}

std::optional<MenuRow> menu_row_at(const ChatView& view, Rows rows, Cols cols, const Click& click) {
  const Rows n_rows{std::max(rows.value, 1)};
  const Cols n_cols{std::max(cols.value, 1)};
  const Parts parts = divide(view, n_rows, n_cols);
  const int bottom = n_rows.value - parts.n_below();
  const std::size_t n = menu_lines(view, Cols{n_cols.value - parts.indent}, bottom).size();
  const int row = click.row - (bottom - static_cast<int>(n));
  if (row < 0 || click.row >= bottom) return std::nullopt;
  return MenuRow{static_cast<std::size_t>(row), n};
}

Frame draw_live(const ChatView& view, Rows rows, Cols cols) {
  const Rows n_rows{std::max(rows.value, 1)};
  const Cols n_cols{std::max(cols.value, 1)};
  const Parts parts = divide(view, n_rows, n_cols);
  const int room = n_rows.value - parts.n_below();
  std::vector<Line> lines = view.transcript.settled().rest(n_cols, room);
  // The menu needs rows to be drawn over.
  if (!view.first.empty()) lines = first_lines(view, n_cols, room);
  const Cols width{n_cols.value - parts.indent};
  const auto n_menu = static_cast<int>(menu_lines(view, width, n_rows.value).size());
  const auto n_least = static_cast<std::size_t>(std::clamp(room, 0, n_menu));
  if (lines.size() < n_least) lines.resize(n_least);
  const int n_lines = static_cast<int>(lines.size());
  Frame frame(Rows{n_lines + parts.n_below()}, n_cols);
  write_lines(frame, {}, lines);
  draw_below(frame, Rows{n_lines}, view, parts);
  return frame;
}

}  // namespace confab::ui
