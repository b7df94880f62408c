// SPDX-License-Identifier: MIT
// A theme: how each role looks. Files are TOML, as in themes/:
//
//   name = "dark"
//   [roles]
//   text = {}                                     # as the terminal has it
//   heading = { fg = "#8ab4f8", bold = true }     # or fg = 12, or fg = "bright-blue"
//   status = { fg = "default", bg = 236 }
//
// with an entry for each Role, under its own name; one that is not there looks as a role near it
// ("code_string" as "code_block"). Keys of an entry: fg, bg, bold, italic, dim, underline, strike,
// reverse.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "ui/color.h"
#include "ui/style.h"

namespace confab::ui {

// Attributes and colours of a run of cells.
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
  std::array<Look, kRoleCount> looks;  // by Role

  // The look of the style's role with the attributes of the style added, in colours of this depth;
  // without colours, a background is reverse video.
  Look look(const Style& style, ColorDepth depth) const;
  bool operator==(const Theme&) const = default;
};

// The name of a role in theme files: "list_mark".
std::string_view role_name(Role role);

// The theme in use when no file is named: the palette of the terminal, so that it is readable on
// light and dark backgrounds. The same as themes/16-colour.toml.
const Theme& default_theme();

// Throws TerminalError naming the file, the key, what it holds and what was expected.
Theme load_theme(const std::string& path);
// As load_theme, from text; `origin` stands for the file in messages.
Theme parse_theme(std::string_view toml, const std::string& origin);

}  // namespace confab::ui
