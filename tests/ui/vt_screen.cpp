// SPDX-License-Identifier: MIT
#include "tests/ui/vt_screen.h"

#include <vterm.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

namespace confab::ui {
namespace {

std::string to_utf8(std::uint32_t c) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F))};
  if (c < 0x10000)
    return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
  return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)), byte(0x80 | (c >> 6 & 0x3F)),
          byte(0x80 | (c & 0x3F))};
}

Color to_color(const VTermColor& color) {
  if (VTERM_COLOR_IS_DEFAULT_FG(&color) || VTERM_COLOR_IS_DEFAULT_BG(&color)) return {};
  if (VTERM_COLOR_IS_INDEXED(&color)) return indexed(color.indexed.idx);
  return rgb(color.rgb.red, color.rgb.green, color.rgb.blue);
}

}  // namespace

class VtScreen::Impl {
 public:
  Impl(int rows, int cols) : vt_(vterm_new(rows, cols)), rows_(rows), cols_(cols) {
    vterm_set_utf8(vt_, 1);
    resize_cells(rows, cols);
    vterm_output_set_callback(vt_, on_output, this);
    VTermState* state = vterm_obtain_state(vt_);
    vterm_state_set_callbacks(state, &kStateCallbacks, this);
    vterm_state_set_unrecognised_fallbacks(state, &kFallbacks, this);
    vterm_state_reset(state, 1);
  }
  ~Impl() { vterm_free(vt_); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  static Impl& self(void* user) { return *static_cast<Impl*>(user); }

  VtCell& cell(int row, int col) {
    assert(row >= 0 && row < rows_ && col >= 0 && col < cols_);
    return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols_) +
                  static_cast<std::size_t>(col)];
  }

  std::vector<VtCell> resized(const std::vector<VtCell>& from, int rows, int cols) const {
    std::vector<VtCell> to(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    for (int row = 0; row < std::min(rows, rows_) && !from.empty(); ++row)
      for (int col = 0; col < std::min(cols, cols_); ++col)
        to[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
           static_cast<std::size_t>(col)] =
            from[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols_) +
                 static_cast<std::size_t>(col)];
    return to;
  }

  void resize_cells(int rows, int cols) {
    cells_ = resized(cells_, rows, cols);
    other_ = resized(other_, rows, cols);
    rows_ = rows;
    cols_ = cols;
  }

  void show_alternate(bool on) {
    if (on == alternate_) return;
    alternate_ = on;
    std::swap(cells_, other_);
  }

  // As terminals do: what is left of a wide character that is overwritten in part is blank.
  void blank_other_half(int row, int col) {
    if (cell(row, col).text.empty() && col > 0)
      cell(row, col - 1).text = " ";
    else if (col + 1 < cols_ && cell(row, col + 1).text.empty())
      cell(row, col + 1).text = " ";
  }

  void put(const VTermGlyphInfo& glyph, VTermPos pos) {
    VtCell made{.text = {}, .look = pen_, .link = link_};
    for (const std::uint32_t* c = glyph.chars; *c != 0; ++c) made.text += to_utf8(*c);
    const int end = std::min(pos.col + glyph.width, cols_);
    for (int col = pos.col; col < end; ++col) blank_other_half(pos.row, col);
    for (int col = pos.col; col < end; ++col) {
      cell(pos.row, col) = made;
      made.text.clear();
    }
  }

  void erase(VTermRect rect) {
    for (int row = rect.start_row; row < rect.end_row; ++row) {
      for (int col = rect.start_col; col < rect.end_col; ++col) {
        blank_other_half(row, col);
        cell(row, col) = {.text = " ", .look = {.bg = pen_.bg}, .link = {}};
      }
    }
  }

  static int on_glyph(VTermGlyphInfo* glyph, VTermPos pos, void* user) {
    self(user).put(*glyph, pos);
    return 1;
  }
  static int on_cursor(VTermPos pos, VTermPos /*old*/, int visible, void* user) {
    self(user).cursor_ = {Rows{pos.row}, Cols{pos.col}};
    self(user).visible_ = visible != 0;
    return 1;
  }
  static int on_scroll(VTermRect rect, int down, int right, void* user) {
    if (rect.start_row == 0 && rect.end_row == self(user).rows_ && down > 0)
      self(user).n_scrolled_ += down;
    vterm_scroll_rect(rect, down, right, on_move, on_erase, user);
    return 1;
  }
  static int on_move(VTermRect to, VTermRect from, void* user) {
    const auto copy = [](VTermPos dest, VTermPos src, void* impl) {
      self(impl).cell(dest.row, dest.col) = self(impl).cell(src.row, src.col);
    };
    vterm_copy_cells(to, from, copy, user);
    return 1;
  }
  static int on_erase(VTermRect rect, int /*selective*/, void* user) {
    self(user).erase(rect);
    return 1;
  }
  static int on_pen_reset(void* user) {
    self(user).pen_ = {};
    return 1;
  }
  static int on_pen(VTermAttr attribute, VTermValue* value, void* user) {
    Look& pen = self(user).pen_;
    const bool on = value->boolean != 0;
    if (attribute == VTERM_ATTR_BOLD) pen.bold = on;
    if (attribute == VTERM_ATTR_ITALIC) pen.italic = on;
    if (attribute == VTERM_ATTR_REVERSE) pen.reverse = on;
    if (attribute == VTERM_ATTR_STRIKE) pen.strike = on;
    if (attribute == VTERM_ATTR_UNDERLINE) pen.underline = value->number != 0;
    if (attribute == VTERM_ATTR_FOREGROUND) pen.fg = to_color(value->color);
    if (attribute == VTERM_ATTR_BACKGROUND) pen.bg = to_color(value->color);
    return 1;
  }
  static int on_property(VTermProp property, VTermValue* value, void* user) {
    if (property == VTERM_PROP_CURSORVISIBLE) self(user).visible_ = value->boolean != 0;
    if (property == VTERM_PROP_ALTSCREEN) self(user).show_alternate(value->boolean != 0);
    return 1;
  }
  static int on_bell(void* user) {
    ++self(user).n_bells_;
    return 1;
  }
  static int on_resize(int rows, int cols, VTermPos* /*delta*/, void* user) {
    self(user).resize_cells(rows, cols);
    return 1;
  }
  // OSC 8 ; parameters ; target
  static int on_osc(const char* command, std::size_t size, void* user) {
    const std::string_view osc(command, size);
    if (!osc.starts_with("8;")) return 0;
    const std::size_t target = osc.find(';', 2);
    if (target == std::string_view::npos) return 0;
    self(user).link_ = osc.substr(target + 1);
    return 1;
  }
  static void on_output(const char* bytes, std::size_t size, void* user) {
    self(user).answers_.append(bytes, size);
  }

  static constexpr VTermStateCallbacks kStateCallbacks = {
      on_glyph, on_cursor,   on_scroll, on_move,   on_erase, on_pen_reset,
      on_pen,   on_property, on_bell,   on_resize, nullptr,
  };
  static constexpr VTermParserCallbacks kFallbacks = {
      nullptr, nullptr, nullptr, nullptr, on_osc, nullptr, nullptr,
  };

  VTerm* vt_;
  int rows_;
  int cols_;
  std::vector<VtCell> cells_;
  std::vector<VtCell> other_;  // of the screen that is not shown
  Look pen_;
  std::string link_;
  Point cursor_;
  bool visible_ = true;
  bool alternate_ = false;
  int n_bells_ = 0;
  int n_scrolled_ = 0;
  std::string answers_;
};

VtScreen::VtScreen(int rows, int cols) : impl_(std::make_unique<Impl>(rows, cols)) {}
VtScreen::~VtScreen() = default;

void VtScreen::feed(std::string_view bytes) {
  vterm_input_write(impl_->vt_, bytes.data(), bytes.size());
}
void VtScreen::resize(int rows, int cols) {
  vterm_set_size(impl_->vt_, rows, cols);
}
int VtScreen::rows() const noexcept {
  return impl_->rows_;
}
int VtScreen::cols() const noexcept {
  return impl_->cols_;
}
const VtCell& VtScreen::at(int row, int col) const {
  return impl_->cell(row, col);
}
Point VtScreen::cursor() const {
  return impl_->cursor_;
}
bool VtScreen::cursor_visible() const noexcept {
  return impl_->visible_;
}
bool VtScreen::alternate() const noexcept {
  return impl_->alternate_;
}
int VtScreen::n_bells() const noexcept {
  return impl_->n_bells_;
}
int VtScreen::n_scrolled() const noexcept {
  return impl_->n_scrolled_;
}
std::string VtScreen::take_answers() {
  return std::exchange(impl_->answers_, {});
}

std::string VtScreen::to_text() const {
  std::string out;
  for (int row = 0; row < rows(); ++row) {
    std::string line;
    for (int col = 0; col < cols(); ++col) line += at(row, col).text;
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace confab::ui
