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

}  // namespace confab::ui
