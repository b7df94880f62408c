// SPDX-License-Identifier: MIT
// The one place that touches the terminal: raw mode, the alternate screen, bracketed paste, frames
// out, events in.
//
// However the program ends, the terminal is put back: by the destructor, at exit(), on an uncaught
// exception and on signals that end the program (see TerminalReset). SIGTERM, SIGHUP and the like
// are the poll loop's: see Signals. At most one may exist.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ui/color.h"
#include "ui/event.h"
#include "ui/frame.h"
#include "ui/terminal/terminal_device.h"
#include "ui/terminal/terminal_facts.h"
#include "ui/theme.h"

namespace confab::ui {

// What is known of a terminal by now.
struct TerminalTraits {
  ColorDepth depth;
  std::optional<Background> background;  // later news is the event BackgroundFound
  bool follows_links;  // hyperlinks in frames lead somewhere; others are sent them too
};

class Terminal {
 public:
  static constexpr std::chrono::milliseconds kAnswerTime{80};

  // Takes over the terminal of stdin and stdout, or /dev/tty when either is none. Throws
  // TerminalError when there is no terminal, when TERM is unset, unknown or too dumb to place a
  // cursor; nothing has been written then. Waits at most kAnswerTime for the terminal to say what
  // it can do; what it says later counts from then on.
  explicit Terminal(Surface surface = Surface::screen);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  ScreenSize size() const noexcept;  // asks the terminal
  TerminalTraits traits() const;
  // How frames look from the next draw() on; a copy is kept. Until then default_theme().
  void set_theme(const Theme& theme);

  // Shows a frame, of any size: what differs from the one before is written, between the marks of
  // synchronised output. Nothing is written when nothing differs. Never waits: while the terminal
  // has not taken the frame before, this one is kept, and a later one replaces it.
  void draw(const Frame& frame);
  // Surface::scrollback: prints lines, which are the terminal's from then on, and shows the frame
  // below them in place of the one before; of no more rows than the screen. Never waits either.
  void print(std::vector<Line> lines, const Frame& live);
  // Surface::scrollback: whether frames are drawn on a screen of their own for now.
  void use_own_screen(bool own);
  // The next draw() writes every cell: after another program wrote to the screen (Ctrl+L), or the
  // terminal was resized (SIGWINCH).
  void invalidate() noexcept;

  // Poll for POLLOUT, then call continue_output(): the terminal is slower than what is drawn. -1:
  // nothing waits to be written.
  int output_fd() const noexcept;
  void continue_output();

  // The wheel as keys, from now on or no longer; the terminal's own selection needs Shift then.
  void set_mouse(bool on);
  // A bell, and a desktop notification where the terminal has them. The texts may be untrusted.
  void notify(std::string_view title, std::string_view body);
  // Puts text in the clipboard, if the terminal (and a tmux around it: set-clipboard on) allows
  // that, which it does not tell. False: it cannot, or the text is longer than kMaxClipboardBytes.
  bool copy(std::string_view text);

  // Poll for POLLIN, then read_events(). -1: this process is in the background of the terminal
  // (`bg`), and what is typed is another's.
  int input_fd() const noexcept;
  // All that has come, without waiting. Call it also when input_timeout() has passed. Back from the
  // background it takes the terminal again, and the first event is Focus.
  std::vector<Event> read_events();
  // How long a poll loop may sleep before read_events() has news without input: the Escape key, an
  // unclosed paste, the end of the time in the background; nullopt: for ever.
  std::optional<std::chrono::milliseconds> input_timeout() const;

  // Gives the terminal back as it was, for Ctrl+Z or another program (an editor); draw() does
  // nothing from then on. Idempotent.
  void suspend();
  // What the destructor prints below all else, lines separated by '\n': it reaches the reader
  // whenever what gives the terminal back does.
  void set_farewell(const std::string& text);
  // Takes it again, also after a stop that came without suspend() (call it on SIGCONT); does
  // nothing while this process is in the background of the terminal.
  void resume();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace confab::ui
