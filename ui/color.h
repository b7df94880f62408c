// SPDX-License-Identifier: MIT
// Colours as themes name them and as terminals show them, and how many the environment allows.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace confab::ui {

// How many colours a terminal can show.
enum class ColorDepth : std::uint8_t { none, ansi16, ansi256, truecolor };

struct Color {
  enum class Kind : std::uint8_t {
    terminal,  // the terminal's default foreground or background
    indexed,   // `index`: 0 to 15 is the user's palette, 16 to 255 xterm's cube and greys
    rgb,       // `red`, `green`, `blue`
  };
  Kind kind = Kind::terminal;
  std::uint8_t index = 0;
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  bool operator==(const Color&) const = default;
};

constexpr Color indexed(std::uint8_t index) {
  return {.kind = Color::Kind::indexed, .index = index};
}
constexpr Color rgb(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  return {.kind = Color::Kind::rgb, .red = red, .green = green, .blue = blue};
}

// Parses "#rrggbb", "0" to "255", "default" or one of the 16 names ("red", "bright-red", ...).
std::optional<Color> parse_color(std::string_view text);

// Returns the nearest colour that a terminal of this depth can show. A colour that it can show is
// unchanged.
Color convert(Color color, ColorDepth depth);

// The environment variables that decide about colours, in order of precedence:
// - NO_COLOR (https://no-color.org) and FORCE_COLOR=0 switch colours off.
// - FORCE_COLOR=1, 2 or 3 means 16, 256 or 24-bit colours.
// - Any other FORCE_COLOR and CLICOLOR_FORCE (https://bixense.com/clicolors) mean at least 16.
// - TERM=dumb means no colours.
// - COLORTERM "truecolor" or "24bit" means 24-bit colours, unless TERM names a terminal that cannot
//   show them and so inherited the variable: GNU screen, the Linux console, Emacs.
// An empty variable and CLICOLOR_FORCE=0 have no effect.

// Whether the terminal is GNU screen. TERM names it, but old versions of tmux set the same TERM;
// those are recognised by the variable TMUX.
bool in_gnu_screen() noexcept;

// The depth of a terminal whose description promises `n_colors` (-1 if it promises none). With
// `direct` the terminal takes colours by their components and shows all of them.
ColorDepth color_depth(int n_colors, bool direct) noexcept;

// The depth for lines of output when only the environment is known. If the output is not a
// terminal, colours are used only when they are forced.
ColorDepth line_color_depth(bool is_terminal) noexcept;

}  // namespace confab::ui
