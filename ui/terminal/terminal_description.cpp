// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_description.h"

#include <curses.h>
#include <term.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#include "ui/color.h"
#include "ui/error.h"

namespace confab::ui {
namespace {

// Alternate scroll mode makes the wheel send arrow keys on this screen, which would step through
// the history. It is saved, switched off and later restored. Terminals that cannot save it have it
// on by default, so it is switched on before the restore.
constexpr std::string_view kWheelOff = "\x1b[?1007s\x1b[?1007l";
constexpr std::string_view kWheelBack = "\x1b[?1007h\x1b[?1007r";

// The text of a capability without its delays ("$<100/>"), which current terminals do not need.
// nullopt: the terminal does not have it.
std::optional<std::string> capability(const char* id) {
  const char* text = tigetstr(id);
  if (text == nullptr || text == reinterpret_cast<const char*>(-1)) return std::nullopt;
  std::string plain(text);
  for (std::size_t at = plain.find("$<"); at != std::string::npos; at = plain.find("$<", at)) {
    const std::size_t end = plain.find('>', at);
    if (end == std::string::npos) break;
    plain.erase(at, end + 1 - at);
  }
  return plain;
}

bool is_set(const char* id) {
  return tigetflag(id) == 1;
}

// Whether the capability, which takes up to two numbers, is exactly the sequence that we write for
// it.
bool is_capability(const char* id, std::string_view sequence, int first = 0, int second = 0) {
  std::optional<std::string> text = capability(id);
  if (!text) return false;
  const char* expanded = tparm(text->data(), first, second, 0, 0, 0, 0, 0, 0, 0);
  return expanded != nullptr && expanded == sequence;
}

void select_terminal(const char* name, int fd) {
  int found = 0;
  if (setupterm(name, fd, &found) != OK)
    throw TerminalError(found < 0 ? std::string("TERM=") + name + ": no terminal database"
                                  : std::string("TERM=") + name + ": unknown terminal");
}

// Releases the terminal that setupterm() made current.
class CurrentTerminal {
 public:
  CurrentTerminal(const char* name, int fd) { select_terminal(name, fd); }
  ~CurrentTerminal() { del_curterm(cur_term); }
  CurrentTerminal(const CurrentTerminal&) = delete;
  CurrentTerminal& operator=(const CurrentTerminal&) = delete;
};

Capabilities read_capabilities(bool like_xterm) {
  Capabilities can;
  const int n_colors = tigetnum("colors");
  const bool direct = is_set("RGB") || tigetnum("RGB") > 0 || capability("RGB") || is_set("Tc");
  can.depth = color_depth(n_colors, direct);
  can.bright_colors = n_colors >= 16 || can.depth > ColorDepth::ansi16;
  can.attributes_off = is_capability("rmul", "\x1b[24m");
  can.bold = capability("bold").has_value();
  can.dim = capability("dim").has_value();
  can.italic = capability("sitm").has_value();
  can.underline = capability("smul").has_value();
  can.strike = capability("smxx").has_value();
  can.reverse = capability("rev").has_value();
  can.absolute_column = is_capability("hpa", "\x1b[10G", 9);
  can.absolute_row = is_capability("vpa", "\x1b[10d", 9);
  can.erase_line = is_capability("el", "\x1b[K");
  can.erases_in_color = is_set("bce");
  can.scroll_region = is_capability("csr", "\x1b[3;5r", 2, 4) && is_capability("ri", "\x1bM");
  // The descriptions of screen and tmux leave out rmam, but both support it.
  can.stays_in_line = like_xterm || is_capability("rmam", "\x1b[?7l");
  can.wraps_at_once = is_set("am") && !is_set("xenl") && !can.stays_in_line;
  return can;
}

}  // namespace

TerminalDescription describe_terminal(int fd) {
  const char* name = std::getenv("TERM");
  if (name == nullptr || *name == '\0') throw TerminalError("TERM is not set");
  const CurrentTerminal current(name, fd);
  const std::string prefix = std::string("TERM=") + name + ": this terminal ";
  if (!capability("cup")) throw TerminalError(prefix + "cannot move its cursor");
  if (!is_capability("cup", "\x1b[5;10H", 4, 9))
    throw TerminalError(prefix + "does not move its cursor as ECMA-48 specifies");

  TerminalDescription made;
  const std::string smcup = capability("smcup").value_or("");
  made.like_xterm = smcup.find("\x1b[?1049h") != std::string::npos;
  made.can = read_capabilities(made.like_xterm);
  made.in_gnu_screen = in_gnu_screen();
  made.is_st = std::string_view(name) == "st" || std::string_view(name).starts_with("st-");
  made.can.links = made.like_xterm && !made.in_gnu_screen;
  made.can.synchronized = made.like_xterm;
  made.enter_screen = smcup;
  const bool has_wheel = made.like_xterm && !made.in_gnu_screen;
  if (has_wheel) made.enter_screen += kWheelOff;
  if (made.can.stays_in_line) made.enter += "\x1b[?7l";
  if (made.like_xterm) made.enter += "\x1b[?2004h\x1b[?1004h\x1b[?2031h";
  if (made.can.links) made.leave += "\x1b]8;;\x1b\\";
  if (made.like_xterm)
    made.leave += "\x1b[?2026l\x1b[?2031l\x1b[?1006l\x1b[?1000l\x1b[?1004l\x1b[?2004l";
  if (made.can.stays_in_line) made.leave += "\x1b[?7h";
  made.leave += "\x1b[m\x1b[?25h";
  // Without an alternate screen, later output begins below ours.
  if (has_wheel) made.leave_screen = kWheelBack;
  made.leave_screen += capability("rmcup").value_or(std::string(kBelowAll));
  return made;
}

}  // namespace confab::ui
