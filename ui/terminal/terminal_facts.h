// SPDX-License-Identifier: MIT
// The dialogue with a terminal, apart from frames and keys: questions at the start, answers and
// reports, what follows from them, and requests for notifications and the clipboard.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ui/capabilities.h"
#include "ui/event.h"
#include "ui/text.h"

namespace confab::ui {

// --- questions, and what follows from the answers

// The place of frames: on a separate screen, or below the terminal's scrollback.
enum class Surface : std::uint8_t { screen, scrollback };

struct TerminalFacts {
  std::optional<Background> background;
  bool tells_background = false;  // it answers the question
  std::string name;               // "XTerm(379)", "tmux 3.3a"; empty if it is unknown
  bool keyboard = false;          // it knows kitty's keyboard protocol
  bool answered = false;          // the last question is answered; no more answers will come
};

// The questions at the start:
// - the background (OSC 11)
// - synchronised output (DECRQM 2026)
// - kitty's keyboard protocol
// - the name (XTVERSION)
// - the width of an ambiguous character, by the cursor position after it. This needs a second row:
//   row 2 of a cleared screen, or the next row of the scrollback, because the answer from row 1
//   would read as a function key.
// - DA1, which all terminals answer and which therefore comes last.
std::string terminal_questions(Rows rows, Surface surface);

// Updates the facts and capabilities from an answer.
void learn(const TerminalReply& reply, TerminalFacts& facts, Capabilities& can);

// Whether a colour is dark or light. It is written as in X11: "rgb:1e/1e/2e" (1 to 4 hexadecimal
// digits each), "rgba:..." or "#1e1e2e". Returns nullopt if it is not a colour.
std::optional<Background> background_of(std::string_view color);

// Reads COLORFGBG ("15;0", "0;default;15"), which some terminals set.
std::optional<Background> background_of_environment();

// Whether people can follow hyperlinks in a terminal. Terminals do not report that, so it is known
// by their name, as XTVERSION returns it: "foot(1.16.2)".
bool follows_links(std::string_view name);
// Checks TERM and the variables that terminals set. Returns false inside tmux and GNU screen, where
// they may describe some earlier terminal.
bool environment_follows_links();

// --- reports and answers, separated from keys

// The parameters of a control sequence. Missing ones are 0; further ones and sub-parameters (after
// a colon) are ignored.
std::array<int, 3> csi_parameters(std::string_view body);
// One of the values of a parameter that are separated by colons; 0 if it is missing.
int csi_sub_parameter(std::string_view body, std::size_t parameter, std::size_t sub);

// Interprets the control sequence CSI body last if it is not a key: an answer, a focus or a mouse
// report. `event` is empty if the program has no use for it.
struct TerminalReport {
  bool known = false;  // false: it is a key
  std::optional<Event> event = {};
};
TerminalReport terminal_report(std::string_view body, char last);

// Interprets a mouse report. `button` includes the modifiers; column and row count from 1.
std::optional<Event> mouse_event(int button, int col, int row, bool pressed);

// Whether `in`, which begins with ESC, begins a control string of a terminal's answer (OSC, DCS,
// APC), to this program or to an earlier one. A person cannot type such a beginning: ESC ] is Alt+]
// unless a number and a semicolon follow.
enum class BeginsString : std::uint8_t { no, perhaps, yes };
BeginsString begins_string(std::string_view in);
// A string without an end is read up to this size. The longest answer is the clipboard.
inline constexpr std::size_t kMaxReplyBytes = std::size_t{128} << 10;

// Interprets such a string, without its end. Returns nullopt if the program has no use for it.
std::optional<Event> reply_of_string(std::string_view string);

// --- requests for something outside the screen

// A desktop notification: OSC 777 for terminals that support it best (VTE, foot and urxvt, known by
// their reported name or TERM), otherwise OSC 9. The texts are untrusted: control characters are
// made visible, line breaks and semicolons become spaces, and each text is cut to 200 columns.
std::string notification(std::string_view terminal, std::string_view title, std::string_view body);

// The sequence that sets the clipboard (OSC 52). Returns nullopt if the text is longer than
// kMaxClipboardBytes, because several terminals drop sequences of more than 100,000 bytes, and
// base64 makes it that long. With `in_gnu_screen` it is sent in pieces that GNU screen passes on to
// the terminal around it. tmux takes the sequence as it is if its option set-clipboard is "on".
inline constexpr std::size_t kMaxClipboardBytes = 74'994;
std::optional<std::string> clipboard(std::string_view text, bool in_gnu_screen);

}  // namespace confab::ui
