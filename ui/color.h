// SPDX-License-Identifier: MIT
// Colours as themes name them and as terminals show them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace confab::ui {

// What a terminal can show.
enum class ColorDepth : std::uint8_t { none, ansi16, ansi256, truecolor };

struct Color {
  enum class Kind : std::uint8_t {
    terminal,  // the terminal's own foreground or background
    indexed,   // `index`: 0 to 15 the user's palette, 16 to 255 xterm's cube and greys
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

// "#rrggbb", "0" to "255", "default" or one of the 16 names ("red", "bright-red", ...).
std::optional<Color> parse_color(std::string_view text);

// The nearest colour that a terminal of this depth shows; unchanged when it shows this one.
Color convert(Color color, ColorDepth depth);

// What the environment says of colours. In this order: NO_COLOR (https://no-color.org) and
// FORCE_COLOR=0 forbid them; FORCE_COLOR=1, 2 or 3 means 16, 256 or all; any other FORCE_COLOR and
// CLICOLOR_FORCE (https://bixense.com/clicolors) mean at least 16; TERM=dumb has none; COLORTERM
// "truecolor" or "24bit" means all, except where it was inherited from around a terminal that has
// not: GNU screen, the Linux console, Emacs. An empty variable, or CLICOLOR_FORCE=0, says nothing.

// Whether the terminal is GNU screen: TERM names it, as it does in older tmux, which says so.
bool in_gnu_screen() noexcept;

// For a terminal whose description promises so many colours (-1: none). Where it gives colours by
// their components (`direct`), it shows all.
ColorDepth color_depth(int n_colors, bool direct) noexcept;

// For lines written to a terminal, or to what is none, where nothing is known but the environment.
ColorDepth line_color_depth(bool is_terminal) noexcept;

}  // namespace confab::ui
