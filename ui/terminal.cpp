// SPDX-License-Identifier: MIT
#include "ui/terminal.h"

#include <curses.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <string>
#include <utility>

#include "ui/error.h"
#include "ui/key_decoder.h"
#include "ui/terminal_reset.h"

namespace confab::ui {
namespace {

constexpr ScreenSize kUsualSize{Rows{24}, Cols{80}};
// xterm's bracketed paste, and synchronised output as terminals agreed on it (DEC private mode
// 2026). A terminal that knows neither ignores them.
constexpr std::string_view kPasteOn = "\x1b[?2004h";
constexpr std::string_view kPasteOff = "\x1b[?2004l";
constexpr std::string_view kSyncOn = "\x1b[?2026h";
constexpr std::string_view kSyncOff = "\x1b[?2026l";

// Written past curses' buffer, which is empty between updates. A terminal that is gone shows when
// it is read from.
void write_all(int fd, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

struct Files {
  File in;
  File out;
};

File open_copy(int fd, const char* mode) {
  const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  File file(copy < 0 ? nullptr : fdopen(copy, mode));
  if (!file)
    throw TerminalError(std::string("cannot open the terminal again: ") + std::strerror(errno));
  return file;
}

Files open_terminal() {
  if (isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1)
    return {open_copy(STDIN_FILENO, "r"), open_copy(STDOUT_FILENO, "w")};
  const int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
  if (fd < 0)
    throw TerminalError(std::string("stdin or stdout is no terminal, and /dev/tty: ") +
                        std::strerror(errno));
  Files files{open_copy(fd, "r"), open_copy(fd, "w")};
  close(fd);
  return files;
}

std::string collected;  // by collect(), which tputs takes as a plain function

int collect(int c) {
  collected += static_cast<char>(c);
  return c;
}

// What puts a terminal of this description back. Throws TerminalError when there is none that can
// show a screen.
std::string reset_sequence(int fd) {
  const char* name = std::getenv("TERM");
  if (name == nullptr || *name == '\0') throw TerminalError("TERM is not set");
  int found = 0;
  if (setupterm(name, fd, &found) != OK)
    throw TerminalError(found < 0 ? std::string("TERM=") + name + ": no terminal database"
                                  : std::string("TERM=") + name + ": unknown terminal");
  const auto capability = [](const char* id) {
    const char* text = tigetstr(id);
    return text == reinterpret_cast<const char*>(-1) ? nullptr : text;
  };
  const bool can_place_cursor = capability("cup") != nullptr;
  collected.assign(kSyncOff).append(kPasteOff);
  for (const char* id : {"rmkx", "sgr0", "op", "cnorm", "rmcup"})
    if (const char* text = capability(id)) tputs(text, 1, collect);
  del_curterm(cur_term);
  if (!can_place_cursor)
    throw TerminalError(std::string("TERM=") + name + ": this terminal cannot place its cursor");
  return std::exchange(collected, {});
}

// curses takes over signals that are the poll loop's; this gives them back.
class KeptSignals {
 public:
  KeptSignals() {
    for (std::size_t i = 0; i < kTaken.size(); ++i) sigaction(kTaken[i], nullptr, &actions_[i]);
  }
  ~KeptSignals() {
    for (std::size_t i = 0; i < kTaken.size(); ++i) sigaction(kTaken[i], &actions_[i], nullptr);
  }
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  static constexpr std::array kTaken = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
  std::array<struct sigaction, kTaken.size()> actions_{};
};

// One grapheme as curses can hold it: a character and marks that take no column of their own. What
// joins characters (an emoji of several) is left out, so that curses, which counts columns by
// wcwidth(), and the terminal agree where the next cell is.
std::wstring curses_text(std::string_view grapheme, int cols) {
  std::array<wchar_t, CCHARW_MAX> wide{};
  std::size_t n = 0;
  std::mbstate_t shift{};
  while (!grapheme.empty() && n < wide.size()) {
    const std::size_t used = std::mbrtowc(&wide[n], grapheme.data(), grapheme.size(), &shift);
    if (used == 0 || used > grapheme.size()) break;  // malformed
    grapheme.remove_prefix(used);
    const int n_cols = wcwidth(wide[n]);
    const bool fits = n == 0 ? n_cols > 0 && n_cols <= cols : n_cols == 0;
    constexpr wchar_t kJoiner = 0x200D;
    const bool selector = wide[n] >= 0xFE00 && wide[n] <= 0xFE0F;
    if (!fits || wide[n] == kJoiner) break;
    if (!selector) ++n;
  }
  return n == 0 ? std::wstring(1, L'\xFFFD') : std::wstring(wide.data(), n);
}

}  // namespace

ScreenSize screen_size(int fd) noexcept {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return kUsualSize;
  return {Rows{size.ws_row}, Cols{size.ws_col}};
}

ColorDepth color_depth(int terminfo_colors) noexcept {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return ColorDepth::none;
  if (terminfo_colors < 8) return ColorDepth::none;
  return terminfo_colors == 256 ? ColorDepth::ansi256 : ColorDepth::ansi16;
}

class Terminal::Impl {
 public:
  Impl() : files_(open_terminal()), reset_(out(), reset_sequence(out())), theme_(default_theme()) {
    reset_.arm();
    start_curses();
    write_all(out(), kPasteOn);
  }

  ~Impl() {
    leave();
    delscreen(screen_);
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  int in() const noexcept { return fileno(files_.in.get()); }
  int out() const noexcept { return fileno(files_.out.get()); }
  ColorDepth depth() const noexcept { return depth_; }

  void set_theme(const Theme& theme) {
    theme_ = theme;
    attributes_.clear();
    invalidate();
  }

  void invalidate() noexcept { shown_.reset(); }

  void draw(const Frame& frame) {
    if (suspended_) return;
    follow_size();
    if (shown_ && *shown_ == frame) return;
    if (!shown_) {
      clearok(curscr, TRUE);
      erase();
    }
    for (int row = 0; row < std::min(frame.rows().value, LINES); ++row)
      if (!shown_ || row_differs(frame, row)) put_row(frame, row);
    curs_set(frame.cursor ? 1 : 0);
    if (frame.cursor) move(frame.cursor->row.value, frame.cursor->col.value);
    write_all(out(), kSyncOn);
    wnoutrefresh(stdscr);
    doupdate();
    write_all(out(), kSyncOff);
    shown_ = frame;
  }

  std::vector<Event> read_events() {
    std::string bytes;
    const bool alive = read_available(bytes);
    const auto now = KeyDecoder::Clock::now();
    std::vector<Event> events = bytes.empty() ? decoder_.expire(now) : decoder_.feed(bytes, now);
    if (!alive && !hung_up_) events.emplace_back(HangUp{});
    hung_up_ = hung_up_ || !alive;
    return events;
  }

  std::optional<KeyDecoder::Clock::time_point> deadline() const { return decoder_.deadline(); }

  void suspend() {
    if (!suspended_) leave();
    suspended_ = true;
  }

  void resume() {
    if (tcgetpgrp(in()) != getpgrp()) return;
    reset_.arm();
    reset_prog_mode();
    write_all(out(), kPasteOn);
    suspended_ = false;
    invalidate();
  }

 private:
  struct Attributes {
    attr_t attributes = A_NORMAL;
    int pair = 0;
  };

  void start_curses() {
    const KeptSignals kept;
    use_env(FALSE);  // the terminal knows its size better than LINES and COLUMNS
    use_tioctl(TRUE);
    screen_ = newterm(nullptr, files_.out.get(), files_.in.get());
    if (screen_ == nullptr)
      throw TerminalError(std::string("TERM=") + std::getenv("TERM") + ": curses cannot use it");
    raw();
    noecho();
    nonl();
    idlok(stdscr, TRUE);
    if (has_colors() && start_color() == OK) {
      use_default_colors();
      depth_ = color_depth(COLORS);
    }
  }

  void leave() noexcept {
    if (suspended_) return;
    write_all(out(), kPasteOff);
    endwin();
    reset_.restore_modes();
    reset_.disarm();
  }

  void follow_size() {
    const ScreenSize now = screen_size(out());
    if (now == ScreenSize{Rows{LINES}, Cols{COLS}}) return;
    resize_term(now.rows.value, now.cols.value);
    invalidate();
  }

  bool row_differs(const Frame& frame, int row) const {
    if (frame.rows() != shown_->rows() || frame.cols() != shown_->cols()) return true;
    for (int col = 0; col < frame.cols().value; ++col) {
      const Point point{Rows{row}, Cols{col}};
      if (frame.at(point) != shown_->at(point)) return true;
    }
    return false;
  }

  void put_row(const Frame& frame, int row) {
    for (int col = 0; col < std::min(frame.cols().value, COLS); ++col) {
      const Cell& cell = frame.at({Rows{row}, Cols{col}});
      if (cell.text.empty()) continue;  // shown with the cell before it
      const Attributes look = attributes(cell.style);
      const int cols = width(cell.text).value;
      const std::wstring text = curses_text(cell.text, std::min(cols, COLS - col));
      cchar_t curses_cell;
      setcchar(&curses_cell, text.c_str(), look.attributes, 0, &look.pair);
      mvadd_wchnstr(row, col, &curses_cell, 1);
      if (cols == 2 && wcwidth(text[0]) == 1 && col + 1 < COLS) {
        setcchar(&curses_cell, L" ", look.attributes, 0, &look.pair);
        mvadd_wchnstr(row, col + 1, &curses_cell, 1);
      }
    }
  }

  Attributes attributes(const Style& style) {
    const std::size_t index = static_cast<std::size_t>(style.role) * 16 + style.bold * 8 +
                              style.italic * 4 + style.underline * 2 + style.strike;
    if (attributes_.empty()) attributes_.resize(kRoleCount * 16);
    std::optional<Attributes>& known = attributes_.at(index);
    if (!known) known = make_attributes(theme_.look(style, depth_));
    return *known;
  }

  // Terminals of 8 colours have the bright ones as bold.
  Attributes make_attributes(const Look& look) const {
    Attributes made;
    int fg = color_number(look.fg);
    int bg = color_number(look.bg);
    const auto set = [&made](bool on, attr_t attribute) {
      if (on) made.attributes |= attribute;
    };
    if (COLORS != 256 && COLORS != 16) {
      set(fg >= 8, A_BOLD);
      if (fg >= 8) fg -= 8;
      if (bg >= 8) bg -= 8;
    }
    set(look.bold, A_BOLD);
    set(look.italic, A_ITALIC);
    set(look.dim, A_DIM);
    set(look.underline, A_UNDERLINE);
    set(look.reverse, A_REVERSE);
    if (depth_ != ColorDepth::none && (fg >= 0 || bg >= 0))
      made.pair = std::max(alloc_pair(fg, bg), 0);
    return made;
  }

  static int color_number(const Color& color) {
    return color.kind == Color::Kind::indexed ? color.index : -1;
  }

  // Appends what can be read without waiting; false: the terminal is gone.
  bool read_available(std::string& bytes) const {
    std::array<char, 65536> buffer;
    for (;;) {
      pollfd wait{.fd = in(), .events = POLLIN, .revents = 0};
      const int n_ready = poll(&wait, 1, 0);
      if (n_ready == 0 || (n_ready < 0 && errno == EINTR)) return true;
      const ssize_t n = read(in(), buffer.data(), buffer.size());
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (n <= 0) return false;
      bytes.append(buffer.data(), static_cast<std::size_t>(n));
      if (bytes.size() >= KeyDecoder::kMaxPasteBytes) return true;  // the rest in the next round
    }
  }

  Files files_;
  TerminalReset reset_;
  SCREEN* screen_ = nullptr;
  ColorDepth depth_ = ColorDepth::none;
  Theme theme_;
  std::vector<std::optional<Attributes>> attributes_;  // by style; empty: of no theme yet
  std::optional<Frame> shown_;                         // nullopt: not known
  KeyDecoder decoder_;
  bool suspended_ = false;
  bool hung_up_ = false;
};

Terminal::Terminal() : impl_(std::make_unique<Impl>()) {}
Terminal::~Terminal() = default;

ScreenSize Terminal::size() const noexcept {
  return screen_size(impl_->out());
}
ColorDepth Terminal::depth() const noexcept {
  return impl_->depth();
}
void Terminal::set_theme(const Theme& theme) {
  impl_->set_theme(theme);
}
void Terminal::draw(const Frame& frame) {
  impl_->draw(frame);
}
void Terminal::invalidate() noexcept {
  impl_->invalidate();
}
int Terminal::input_fd() const noexcept {
  return impl_->in();
}
std::vector<Event> Terminal::read_events() {
  return impl_->read_events();
}
void Terminal::suspend() {
  impl_->suspend();
}
void Terminal::resume() {
  impl_->resume();
}

std::optional<std::chrono::milliseconds> Terminal::input_timeout() const {
  const auto deadline = impl_->deadline();
  if (!deadline) return std::nullopt;
  const auto left = *deadline - KeyDecoder::Clock::now();
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds{0});
}

}  // namespace confab::ui
