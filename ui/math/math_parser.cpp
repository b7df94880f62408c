// SPDX-License-Identifier: MIT
#include "ui/math/math_parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ui/math/math_text.h"
#include "ui/text.h"

namespace confab::ui {
namespace {

// The pieces of a delimiter that is several rows high (Unicode, Miscellaneous Technical).
struct Tall {
  std::string_view delimiter, top, middle, bottom, centre;
};
constexpr std::array<Tall, 9> kTall = {{
    {"(", "⎛", "⎜", "⎝", "⎜"},
    {")", "⎞", "⎟", "⎠", "⎟"},
    {"[", "⎡", "⎢", "⎣", "⎢"},
    {"]", "⎤", "⎥", "⎦", "⎥"},
    {"{", "⎧", "⎪", "⎩", "⎨"},
    {"}", "⎫", "⎪", "⎭", "⎬"},
    {"|", "│", "│", "│", "│"},
    {"‖", "║", "║", "║", "║"},
    {"⌊", "⎢", "⎢", "⎣", "⎢"},
}};

std::string_view piece(const Tall& tall, std::size_t row, std::size_t height) {
  if (row == 0) return tall.top;
  if (row + 1 == height) return tall.bottom;
  return row == height / 2 ? tall.centre : tall.middle;
}

constexpr std::string_view kSpaces = " \t\n";
// A longer text in brackets is not an optional argument.
constexpr std::size_t kMaxOptionalBytes = 64;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_any_of(MathClass kind, std::initializer_list<MathClass> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

// Whether a space separates two atoms in running text.
bool spaced(MathClass last, MathClass next) {
  using enum MathClass;
  if (is_any_of(last, {none, space, open}) || is_any_of(next, {none, space, close, punct}))
    return false;
  if (last == punct || last == rel || next == rel || last == bin || next == bin) return true;
  if (is_any_of(last, {word, op}) && is_any_of(next, {ord, word, op})) return true;
  if (last == op && next == open) return true;
  return is_any_of(next, {word, op}) && is_any_of(last, {ord, close});
}

MathClass character_class(std::string_view character) {
  if (character.size() > 1) return MathClass::ord;
  switch (character[0]) {
    case '+':
    case '-':
    case '*':
      return MathClass::bin;
    case '=':
    case '<':
    case '>':
    case ':':
      return MathClass::rel;
    case ',':
    case ';':
      return MathClass::punct;
    case '(':
    case '[':
      return MathClass::open;
    case ')':
    case ']':
    case '!':
      return MathClass::close;
    case '|':
      return MathClass::bar;
    case '~':
      return MathClass::space;
    default:
      return MathClass::ord;
  }
}

std::string with_lines_joined(std::string_view text) {
  std::string out(text);
  std::ranges::replace(out, '\n', ' ');
  return out;
}

}  // namespace

MathBox::MathBox(std::string_view row) {
  if (row.empty()) return;
  rows_.emplace_back(row);
  width_ = ui::width(row).value;
  widths_.push_back(width_);
}

std::vector<std::string> MathBox::rows() const {
  std::vector<std::string> rows = rows_;
  for (std::string& row : rows) row.erase(row.find_last_not_of(' ') + 1);
  return rows;
}

std::string_view MathBox::line() const noexcept {
  return empty() ? std::string_view() : rows_[baseline_];
}

void MathBox::put_row(std::size_t row, int column, const std::string& text, int width) {
  rows_[row].append(static_cast<std::size_t>(column - widths_[row]), ' ');
  rows_[row] += text;
  widths_[row] = column + width;
  width_ = std::max(width_, widths_[row]);
}

void MathBox::append(const MathBox& box) {
  if (box.empty()) return;
  if (empty()) {
    *this = box;
    return;
  }
  if (box.baseline_ > baseline_) {
    const std::size_t above = box.baseline_ - baseline_;
    rows_.insert(rows_.begin(), above, {});
    widths_.insert(widths_.begin(), above, 0);
    baseline_ = box.baseline_;
  }
  const std::size_t first = baseline_ - box.baseline_;
  if (first + box.height() > height()) {
    rows_.resize(first + box.height());
    widths_.resize(first + box.height());
  }
  const int column = width_;
  for (std::size_t i = 0; i < box.height(); ++i)
    put_row(first + i, column, box.rows_[i], box.widths_[i]);
  width_ = column + box.width_;
}

void MathBox::add_below(const MathBox& box, int column) {
  for (std::size_t i = 0; i < box.height(); ++i) {
    rows_.emplace_back();
    widths_.push_back(0);
    put_row(height() - 1, column, box.rows_[i], box.widths_[i]);
  }
  width_ = std::max(width_, column + box.width_);
}

MathBox MathBox::stack(const MathBox& top, const MathBox& middle, const MathBox& bottom) {
  const int width = std::max({top.width_, middle.width_, bottom.width_});
  MathBox out;
  out.add_below(top, (width - top.width_) / 2);
  out.baseline_ = top.height() + middle.baseline_;
  out.add_below(middle, (width - middle.width_) / 2);
  out.add_below(bottom, (width - bottom.width_) / 2);
  // Without a middle, the baseline is the last row of `top`.
  if (out.baseline_ > 0) out.baseline_ = std::min(out.baseline_, out.height() - 1);
  return out;
}

MathBox MathBox::grid(const std::vector<std::vector<MathBox>>& rows, std::string_view align,
                      int gap) {
  std::vector<int> widths;
  for (const std::vector<MathBox>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].width_);
  }
  MathBox out;
  for (const std::vector<MathBox>& row : rows) {
    MathBox line;
    int column = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const int free = widths[i] - row[i].width_;
      const char side = align[i % align.size()];
      const int begin = column + (side == 'r' ? free : side == 'c' ? free / 2 : 0);
      line.append(std::string(static_cast<std::size_t>(begin - line.width_), ' '));
      line.append(row[i]);
      column += widths[i] + gap;
    }
    out.add_below(line.empty() ? MathBox(" ") : line, 0);
  }
  out.baseline_ = out.empty() ? 0 : (out.height() - 1) / 2;
  return out;
}

MathBox MathBox::enclosed(std::string_view left, const MathBox& box, std::string_view right) {
  const auto side = [&box](std::string_view delimiter) {
    const auto* const tall = std::ranges::find(kTall, delimiter, &Tall::delimiter);
    if (box.height() <= 1 || tall == kTall.end()) return MathBox(delimiter);
    MathBox out;
    for (std::size_t i = 0; i < box.height(); ++i)
      out.add_below(MathBox(piece(*tall, i, box.height())), 0);
    out.baseline_ = box.baseline_;
    return out;
  };
  MathBox out = side(left);
  out.append(box);
  out.append(side(right));
  return out;
}

std::vector<MathBox> MathParser::lines() {
  const Cells rows = cells(true, false);
  if (style_ == Style::display) return {MathBox::grid(rows, alignment(rows, "rl"), 0)};
  std::vector<MathBox> lines;
  for (const std::vector<MathBox>& row : rows) {
    lines.emplace_back();
    for (const MathBox& cell : row) lines.back().append(cell);
  }
  return lines;
}

bool MathParser::at_command(std::string_view name) const {
  const std::string_view rest = tex_.substr(at_);
  return rest.starts_with('\\') && rest.substr(1).starts_with(name) &&
         (rest.size() == name.size() + 1 || !is_letter(rest[name.size() + 1]));
}

bool MathParser::at_stop() const {
  return at_end() || tex_[at_] == '}' || tex_[at_] == '&' || tex_.substr(at_).starts_with("\\\\") ||
         at_command("end") || at_command("right");
}

void MathParser::skip_spaces() {
  at_ = std::min(tex_.find_first_not_of(kSpaces, at_), tex_.size());
}

void MathParser::skip_stop() {
  if (at_end()) return;
  if (tex_[at_] != '\\') {
    ++at_;
    return;
  }
  const std::string_view command = take_command();
  if (command == "end") take_raw_argument();
  if (command == "right") take_delimiter();
  if (command == "\\") take_optional_argument();
}

std::string_view MathParser::take_command() {
  const std::size_t begin = ++at_;
  while (!at_end() && is_letter(tex_[at_])) ++at_;
  if (at_ == begin) at_ += next_grapheme(tex_.substr(at_)).bytes.size();
  return tex_.substr(begin, at_ - begin);
}

// Takes the text between braces, or one character.
std::string_view MathParser::take_raw_argument() {
  skip_spaces();
  const std::size_t begin = at_;
  if (at_end() || tex_[at_] != '{') {
    at_ += next_grapheme(tex_.substr(at_)).bytes.size();
    return tex_.substr(begin, at_ - begin);
  }
  int depth = 0;
  for (; !at_end(); ++at_) {
    if (tex_[at_] == '{') ++depth;
    if (tex_[at_] == '}' && --depth == 0) break;
    if (tex_[at_] == '\\') ++at_;
  }
  at_ = std::min(at_, tex_.size());
  const std::string_view argument = tex_.substr(begin + 1, at_ - begin - 1);
  at_ += at_end() ? 0 : 1;
  return argument;
}

std::string_view MathParser::take_optional_argument() {
  const std::string_view rest = tex_.substr(at_, kMaxOptionalBytes);
  const std::size_t end = rest.find(']');
  if (!rest.starts_with('[') || end == std::string_view::npos) return {};
  at_ += end + 1;
  return rest.substr(1, end - 1);
}

// Takes the delimiter after \left or \right.
std::string MathParser::take_delimiter() {
  skip_spaces();
  if (at_end()) return {};
  if (tex_[at_] == '\\') {
    const std::string_view command = take_command();
    const MathSymbol* symbol = find_math_symbol(command);
    return with_lines_joined(symbol == nullptr ? command : symbol->text);
  }
  const std::string_view character = next_grapheme(tex_.substr(at_)).bytes;
  at_ += character.size();
  if (character == ".") return {};
  if (character == "<") return "⟨";
  return character == ">" ? "⟩" : std::string(character);
}

void MathParser::list(Run& run) {
  for (skip_spaces(); !at_stop(); skip_spaces()) add(run, scripted_atom());
}

void MathParser::group(Run& run) {
  for (;;) {
    list(run);
    if (at_end()) return;
    const bool closed = tex_[at_] == '}';
    if (tex_.substr(at_).starts_with("\\\\")) add(run, {MathBox(","), MathClass::punct});
    skip_stop();
    if (closed) return;
  }
}

void MathParser::add(Run& run, Atom atom) const {
  using enum MathClass;
  if (atom.box.empty()) return;
  settle(run, atom);
  const bool apart = style_ == Style::script
                         ? is_any_of(run.last, {ord, word}) && is_any_of(atom.kind, {ord, word}) &&
                               (run.last == word || atom.kind == word)
                         : spaced(run.last, atom.kind);
  if (apart) run.box.append(" ");
  run.box.append(atom.box);
  run.last = atom.after;
  if (atom.after != space) run.solid = atom.after;
}

void MathParser::settle(Run& run, Atom& atom) {
  using enum MathClass;
  const bool after_operand = !is_any_of(run.solid, {none, op, bin, rel, open, punct});
  if (atom.kind == bar) {
    // The single bar in "f|_{x=0}" closes the expression before it.
    const bool closes = after_operand && (run.n_bars.back() > 0 || atom.scripted);
    run.n_bars.back() = std::max(run.n_bars.back() + (closes ? -1 : 1), 0);
    atom.kind = closes ? close : ord;
    atom.after = closes ? close : open;
  } else if (atom.kind == bin && !after_operand) {  // as in TeX, it belongs to the next atom
    atom.kind = ord;
    atom.after = open;
  } else if (atom.kind == open && atom.after == open) {
    run.n_bars.push_back(0);
  } else if (atom.kind == close && run.n_bars.size() > 1 && !atom.box.line().starts_with('!')) {
    run.n_bars.pop_back();
  }
}

MathParser::Atom MathParser::scripted_atom() {
  const char first = tex_[at_];
  Atom nucleus;
  if (first != '^' && first != '_' && first != '\'') nucleus = atom();
  MathBox below, above;
  for (skip_spaces(); !at_end(); skip_spaces()) {
    if (tex_[at_] == '\'') {
      ++at_;
      above.append("′");
    } else if (tex_[at_] == '^' || tex_[at_] == '_') {
      MathBox& script = tex_[at_] == '^' ? above : below;
      ++at_;
      script.append(argument(Style::script));
    } else if (at_command("limits") || at_command("nolimits")) {
      nucleus.limits = take_command() == "limits";
    } else {
      break;
    }
  }
  set_scripts(nucleus, below, above);
  return nucleus;
}

void MathParser::set_scripts(Atom& atom, const MathBox& below, const MathBox& above) const {
  if (below.empty() && above.empty()) return;
  atom.scripted = true;
  if (atom.limits && style_ == Style::display) {
    atom.box = MathBox::stack(above, atom.box, below);
    return;
  }
  atom.box.append(below.empty() ? std::string() : lowered(below.line()));
  atom.box.append(above.empty() ? std::string() : raised(above.line()));
}

MathParser::Atom MathParser::atom() {
  if (tex_[at_] == '{') return {argument(style_)};
  return tex_[at_] == '\\' ? command() : character();
}

MathParser::Atom MathParser::character() {
  const std::string_view character = next_grapheme(tex_.substr(at_)).bytes;
  at_ += character.size();
  const MathClass kind = character_class(character);
  if (character == "-") return {MathBox("−"), kind};
  return {MathBox(character == "~" ? " " : character), kind};
}

MathParser::Atom MathParser::command() {
  const std::string_view name = take_command();
  if (!name.empty() && kSpaces.find(name[0]) != std::string_view::npos)
    return {MathBox(" "), MathClass::space};
  if (const Handler handler = find_handler(name)) return (this->*handler)(name);
  if (const MathSymbol* symbol = find_math_symbol(name))
    return {MathBox(symbol->text), symbol->kind, symbol->kind, symbol->limits};
  return {MathBox(name.empty() ? "\\" : name), MathClass::word};
}

MathBox MathParser::argument(Style style) {
  skip_spaces();
  if (at_stop()) return {};
  if (depth_ == kMaxDepth) {
    if (tex_[at_] == '\\') return MathBox(with_lines_joined(take_command()));
    return MathBox(with_lines_joined(take_raw_argument()));
  }
  const Style outer = std::exchange(style_, style);
  ++depth_;
  MathBox box;
  if (tex_[at_] == '{') {
    ++at_;
    Run run;
    group(run);
    box = std::move(run.box);
  } else {
    box = atom().box;
  }
  --depth_;
  style_ = outer;
  return box;
}

std::string MathParser::argument_line(Style style) {
  return std::string(argument(style).line());
}

MathParser::Cells MathParser::cells(bool aligned, bool inside) {
  Cells rows(1);
  while (!at_end() && !(inside && at_command("end"))) {
    Run run;
    const std::size_t column = rows.back().size();
    if (aligned && column % 2 == 1) run.last = run.solid = MathClass::ord;
    if (aligned && column > 0 && column % 2 == 0) run.box.append("  ");
    for (list(run); !at_end() && tex_[at_] != '&' && !tex_.substr(at_).starts_with("\\\\") &&
                    !(inside && at_command("end"));
         list(run))
      skip_stop();
    rows.back().push_back(std::move(run.box));
    if (at_end() || at_command("end")) break;
    if (tex_[at_] == '\\') rows.emplace_back();
    skip_stop();
  }
  while (rows.size() > 1 && std::ranges::all_of(rows.back(), &MathBox::empty)) rows.pop_back();
  return rows;
}

}  // namespace confab::ui
