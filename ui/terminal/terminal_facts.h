// SPDX-License-Identifier: MIT
// What is said to a terminal besides what it shows, and what it says besides keys: the questions at
// the start, its answers and reports, what follows from them, and requests for something outside
// the screen.
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

// Where frames are drawn: on a screen of their own, or below what the terminal has in its
// scrollback.
enum class Surface : std::uint8_t { screen, scrollback };

struct TerminalFacts {
  std::optional<Background> background;
  bool tells_background = false;  // when it is asked
  std::string name;               // "XTerm(379)", "tmux 3.3a"; empty: not said
  bool keyboard = false;          // it knows kitty's keyboard protocol
  bool answered = false;          // the last question has been answered, and so all that it knows
};

// Background (OSC 11), synchronised output (DECRQM 2026), kitty's keyboard protocol, name
// (XTVERSION), the width of an ambiguous character (by the cursor after one, where there is more
// than one row: in the second of a cleared screen, or in the next of the scrollback; in the first
// row the answer would be a function key), and last DA1, which all terminals answer.
std::string terminal_questions(Rows rows, Surface surface);

// Takes in an answer, into facts and capabilities.
void learn(const TerminalReply& reply, TerminalFacts& facts, Capabilities& can);

// Of a colour as X11 writes it: "rgb:1e/1e/2e" (1 to 4 hexadecimal digits each), "rgba:..." or
// "#1e1e2e"; nullopt when it is none.
std::optional<Background> background_of(std::string_view color);

// What COLORFGBG says ("15;0", "0;default;15"), which some terminals set.
std::optional<Background> background_of_environment();

// Whether people can follow hyperlinks in a terminal. None says so itself: those that can are known
// by their names.
//
// Of a name as the terminal gives it (XTVERSION): "foot(1.16.2)".
bool follows_links(std::string_view name);
// What TERM and the variables that terminals set say. Inside tmux or GNU screen they are those of
// some terminal that was there once, and say nothing.
bool environment_follows_links();

// --- reports and answers, told from keys

// The parameters of a control sequence; missing ones are 0, further ones and sub-parameters (after
// a colon) ignored.
std::array<int, 3> csi_parameters(std::string_view body);
// One of a parameter's values that are separated by colons; 0 when it is missing.
int csi_sub_parameter(std::string_view body, std::size_t parameter, std::size_t sub);

// A control sequence CSI body last that is no key: an answer, a focus or mouse report. `event` is
// empty when it means nothing to us.
struct TerminalReport {
  bool known = false;  // false: it is a key
  std::optional<Event> event = {};
};
TerminalReport terminal_report(std::string_view body, char last);

// What a report of the mouse means; `button` with its modifiers, column and row from 1.
std::optional<Event> mouse_event(int button, int col, int row, bool pressed);

// Whether `in`, which begins with ESC, begins a control string that a terminal answers with (OSC,
// DCS, APC): one that was asked for or one that another program has left behind. None of them is
// what a person types: ESC ] is Alt+] unless a number and a semicolon follow it.
enum class BeginsString : std::uint8_t { no, perhaps, yes };
BeginsString begins_string(std::string_view in);
// A string is read up to its end this far: the clipboard is the longest.
inline constexpr std::size_t kMaxReplyBytes = std::size_t{128} << 10;

// The meaning of such a string, without its end; nullopt: none to us.
std::optional<Event> reply_of_string(std::string_view string);

// --- requests for something outside the screen

// A desktop notification: OSC 777 for the terminals that know it best by that (by their name as
// they or TERM say it: VTE, foot, urxvt), else OSC 9. The texts are untrusted: what controls is
// made visible, line breaks and semicolons become spaces, and each is cut to 200 columns.
std::string notification(std::string_view terminal, std::string_view title, std::string_view body);

// The clipboard (OSC 52). nullopt when the text has more than kMaxClipboardBytes: several terminals
// drop sequences of more than 100,000 bytes, which its base64 would be. `in_gnu_screen`: in pieces
// that GNU screen hands on to the terminal around it. tmux takes it as it is, where its option
// set-clipboard is "on".
inline constexpr std::size_t kMaxClipboardBytes = 74'994;
std::optional<std::string> clipboard(std::string_view text, bool in_gnu_screen);

}  // namespace confab::ui
