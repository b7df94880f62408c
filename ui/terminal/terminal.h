// SPDX-License-Identifier: MIT
// The only class that drives the terminal: raw mode, the alternate screen, bracketed paste, frames
// out, events in.
//
// However the program ends, the terminal is restored: by the destructor, at exit(), on an uncaught
// exception and on signals that end the program (see TerminalReset). The poll loop handles SIGTERM,
// SIGHUP and similar signals (see Signals). At most one object may exist.
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

// The facts known about the terminal so far.
struct TerminalTraits {
  ColorDepth depth;
  std::optional<Background> background;  // a later change is the event BackgroundFound
  bool follows_links;                    // hyperlinks can be followed; they are written in any case
};

class Terminal {
 public:
  static constexpr std::chrono::milliseconds kAnswerTime{80};

  // Takes over the terminal of stdin and stdout, or /dev/tty if either is not a terminal. Throws
  // TerminalError, before writing anything, if there is no terminal or if TERM is unset, unknown or
  // cannot place a cursor. Waits at most kAnswerTime for the terminal to report what it can do;
  // later answers take effect when they come.
  explicit Terminal(Surface surface = Surface::screen);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  ScreenSize size() const noexcept;  // asks the terminal
  TerminalTraits traits() const;
  // Sets how frames look from the next draw() on. The theme is copied. Initially it is
  // default_theme().
  void set_theme(const Theme& theme);

  // Shows a frame of any size. Only the difference from the last one is written, inside
  // synchronised output, and nothing if they are equal. Never waits: while the terminal has not
  // taken the last frame, this one is kept, and a later one replaces it.
  void draw(const Frame& frame);
  // Surface::scrollback only: prints lines, which belong to the terminal from then on, and shows
  // the frame below them in place of the last one. The frame must not have more rows than the
  // screen. Never waits either.
  void print(std::vector<Line> lines, const Frame& live);
  // Surface::scrollback only: switches to a separate screen for frames, or back.
  void use_own_screen(bool own);
  // Makes the next draw() write every cell. Call it after another program wrote to the screen
  // (Ctrl+L) or the terminal was resized (SIGWINCH).
  void invalidate() noexcept;

  // The descriptor to poll for POLLOUT, and then to call continue_output(), while the terminal is
  // slower than the drawing. -1 if nothing is waiting.
  int output_fd() const noexcept;
  void continue_output();

  // Turns wheel reports on or off. While they are on, the terminal's own selection needs Shift.
  void set_mouse(bool on);
  // Rings the bell and shows a desktop notification if the terminal supports them. The texts may be
  // untrusted.
  void notify(std::string_view title, std::string_view body);
  // Puts text in the clipboard, if the terminal (and tmux: set-clipboard on) allows it; terminals
  // do not report whether they do. Returns false if this terminal cannot, or if the text is longer
  // than kMaxClipboardBytes.
  bool copy(std::string_view text);

  // The descriptor to poll for POLLIN before read_events(). -1 if this process is in the background
  // of the terminal (`bg`), because the input then belongs to another program.
  int input_fd() const noexcept;
  // Returns everything that has come, without waiting. Call it also when input_timeout() has
  // passed. When the process is back in the foreground, this takes over the terminal again and the
  // first event is Focus.
  std::vector<Event> read_events();
  // How long a poll loop may sleep before read_events() has news without input: the Escape key, an
  // unclosed paste, the end of the time in the background. nullopt: for ever.
  std::optional<std::chrono::milliseconds> input_timeout() const;

  // Restores the terminal for Ctrl+Z or another program (an editor). draw() does nothing from then
  // on. Idempotent.
  void suspend();
  // Text for the destructor to print below everything else, its lines separated by '\n'. It is sent
  // together with the bytes that restore the terminal.
  void set_farewell(const std::string& text);
  // Takes over the terminal again, also after a stop without suspend() (call it on SIGCONT). Does
  // nothing while this process is in the background of the terminal.
  void resume();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace confab::ui
