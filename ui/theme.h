// SPDX-License-Identifier: MIT
// A theme says how each role looks. Theme files are TOML (see themes/):
//
//   name = "dark"
//   [roles]
//   text = {}                                     # as the terminal has it
//   heading = { fg = "#8ab4f8", bold = true }     # or fg = 12, or fg = "bright-blue"
//   status = { fg = "default", bg = 236 }
//
// Each Role may have an entry under its name. A role without an entry looks like a related role
// ("code_string" like "code_block"). The keys of an entry are fg, bg, bold, italic, dim, underline,
// strike and reverse.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "ui/color.h"
#include "ui/style.h"

namespace confab::ui {

// The attributes and colours of a run of cells.
struct Look {
  Color fg = {};
  Color bg = {};
  bool bold = false;
  bool italic = false;
  bool dim = false;
  bool underline = false;
  bool strike = false;
  bool reverse = false;
  bool operator==(const Look&) const = default;
};

inline constexpr std::size_t kRoleCount = static_cast<std::size_t>(Role::count_);

struct Theme {
  std::string name;
  std::array<Look, kRoleCount> looks;  // indexed by Role

  // Combines the look of the style's role with the attributes of the style, in colours of this
  // depth. Without colours a background becomes reverse video.
  Look look(const Style& style, ColorDepth depth) const;
  bool operator==(const Theme&) const = default;
};

// The name of a role in theme files, for example "list_mark".
std::string_view role_name(Role role);

// The theme used when no file is named. It takes its colours from the terminal's palette, so it is
// readable on light and dark backgrounds. themes/16-colour.toml is the same theme.
const Theme& default_theme();

// Throws a TerminalError that names the file, the key, its value and the expected value.
Theme load_theme(const std::string& path);
// Like load_theme(), from text. Messages name `origin` in place of the file.
Theme parse_theme(std::string_view toml, const std::string& origin);

}  // namespace confab::ui
