// SPDX-License-Identifier: MIT
#include "ui/color.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

namespace confab::ui {
namespace {

constexpr std::array<std::string_view, 16> kNames = {
    "black",        "red",           "green",       "yellow",         "blue",
    "magenta",      "cyan",          "white",       "bright-black",   "bright-red",
    "bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan",
    "bright-white"};

struct Rgb {
  int red, green, blue;
};

// xterm's default palette. A user's own palette may differ, so colours are converted to it only
// when necessary.
constexpr std::array<Rgb, 16> kPalette = {{{0, 0, 0},
                                           {205, 0, 0},
                                           {0, 205, 0},
                                           {205, 205, 0},
                                           {0, 0, 238},
                                           {205, 0, 205},
                                           {0, 205, 205},
                                           {229, 229, 229},
                                           {127, 127, 127},
                                           {255, 0, 0},
                                           {0, 255, 0},
                                           {255, 255, 0},
                                           {92, 92, 255},
                                           {255, 0, 255},
                                           {0, 255, 255},
                                           {255, 255, 255}}};

constexpr std::array<int, 6> kCubeLevels = {0, 95, 135, 175, 215, 255};
constexpr int kCube = 16;    // start of the 6x6x6 cube
constexpr int kGreys = 232;  // start of the 24 greys, 8 to 238

Rgb rgb_of_index(int index) {
  if (index < kCube) return kPalette[static_cast<std::size_t>(index)];
  if (index >= kGreys) {
    const int level = 8 + 10 * (index - kGreys);
    return {level, level, level};
  }
  const auto cube = static_cast<std::size_t>(index - kCube);
  return {kCubeLevels[cube / 36], kCubeLevels[cube / 6 % 6], kCubeLevels[cube % 6]};
}

// The distance between two colours, weighted by the eye's sensitivity to each channel, and for red
// also by how red the colours are ("redmean").
int distance(const Rgb& a, const Rgb& b) {
  const int mean = (a.red + b.red) / 2;
  const int red = a.red - b.red, green = a.green - b.green, blue = a.blue - b.blue;
  return (((512 + mean) * red * red) >> 8) + 4 * green * green +
         (((767 - mean) * blue * blue) >> 8);
}

// The distance from grey.
int chroma(const Rgb& color) {
  const auto [least, most] = std::minmax({color.red, color.green, color.blue});
  return most - least;
}

// Finds the nearest colour of the palette. For many dark colours that would be a grey. A colour
// with a hue must keep it to remain recognisable, so greys are skipped for it.
std::uint8_t nearest(const Rgb& color, int begin, int end) {
  constexpr int kColorful = 48;
  const bool has_hue = chroma(color) >= kColorful;
  int best = begin;
  int least = std::numeric_limits<int>::max();
  for (int index = begin; index < end; ++index) {
    if (has_hue && chroma(rgb_of_index(index)) == 0) continue;
    const int d = distance(color, rgb_of_index(index));
    if (d < least) {
      least = d;
      best = index;
    }
  }
  return static_cast<std::uint8_t>(best);
}

template <typename Number>
bool parse_number(std::string_view text, int base, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return error == std::errc{} && end == text.data() + text.size();
}

std::optional<Color> parse_hex(std::string_view digits) {
  std::uint32_t value = 0;
  if (digits.size() != 6 || !parse_number(digits, 16, value)) return std::nullopt;
  return rgb(static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8),
             static_cast<std::uint8_t>(value));
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

std::optional<ColorDepth> forced(ColorDepth of_terminal) {
  const std::string_view force = variable("FORCE_COLOR");
  if (!variable("NO_COLOR").empty() || force == "0") return ColorDepth::none;
  if (force == "1") return ColorDepth::ansi16;
  if (force == "2") return ColorDepth::ansi256;
  if (force == "3") return ColorDepth::truecolor;
  const std::string_view cli = variable("CLICOLOR_FORCE");
  if (force.empty() && (cli.empty() || cli == "0")) return std::nullopt;
  return std::max(of_terminal, ColorDepth::ansi16);
}

bool says_truecolor() {
  const std::string_view term = variable("TERM"), says = variable("COLORTERM");
  const bool inherited =
      in_gnu_screen() ||
      std::ranges::any_of(std::array{"linux", "eterm", "ansi", "vt1", "vt2", "vt3", "vt5"},
                          [term](const char* old) { return term.starts_with(old); });
  return !inherited && (says == "truecolor" || says == "24bit");
}

}  // namespace

std::optional<Color> parse_color(std::string_view text) {
  if (text == "default") return Color{};
  if (text.starts_with('#')) return parse_hex(text.substr(1));
  const auto name = std::ranges::find(kNames, text);
  if (name != kNames.end()) return indexed(static_cast<std::uint8_t>(name - kNames.begin()));
  std::uint8_t index = 0;
  if (parse_number(text, 10, index)) return indexed(index);
  return std::nullopt;
}

Color convert(Color color, ColorDepth depth) {
  const bool shown =
      color.kind == Color::Kind::terminal || depth == ColorDepth::truecolor ||
      (color.kind == Color::Kind::indexed &&
       (depth == ColorDepth::ansi256 || (depth == ColorDepth::ansi16 && color.index < kCube)));
  if (shown) return color;
  if (depth == ColorDepth::none) return {};
  const Rgb wanted = color.kind == Color::Kind::rgb ? Rgb{color.red, color.green, color.blue}
                                                    : rgb_of_index(color.index);
  return depth == ColorDepth::ansi256 ? indexed(nearest(wanted, kCube, 256))
                                      : indexed(nearest(wanted, 0, kCube));
}

bool in_gnu_screen() noexcept {
  const std::string_view term = variable("TERM");
  if (variable("TMUX").empty()) return term.starts_with("screen") || !variable("STY").empty();
  return term.starts_with("screen") && !variable("STY").empty();
}

ColorDepth color_depth(int n_colors, bool direct) noexcept {
  ColorDepth depth = n_colors >= 256 ? ColorDepth::ansi256
                     : n_colors >= 8 ? ColorDepth::ansi16
                                     : ColorDepth::none;
  const bool dumb = variable("TERM") == "dumb";
  if (!dumb && (direct || says_truecolor())) depth = ColorDepth::truecolor;
  return forced(depth).value_or(depth);
}

ColorDepth line_color_depth(bool is_terminal) noexcept {
  const std::string_view term = variable("TERM");
  ColorDepth depth = ColorDepth::none;
  if (!term.empty() && term != "dumb") {
    const bool many = term.find("256color") != std::string_view::npos;
    depth = says_truecolor() ? ColorDepth::truecolor
            : many           ? ColorDepth::ansi256
                             : ColorDepth::ansi16;
  }
  return forced(depth).value_or(is_terminal ? depth : ColorDepth::none);
}

}  // namespace confab::ui
