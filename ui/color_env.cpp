// SPDX-License-Identifier: MIT
#include "ui/color_env.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace confab::ui {
namespace {

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
