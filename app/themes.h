// SPDX-License-Identifier: MIT
// Finds colour themes: first the user's own, then the shipped ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/paths.h"
#include "ui/event.h"
#include "ui/theme.h"

namespace confab::app {

// name: a theme's name, or the path of a TOML file (with a slash or ".toml"); empty: the default
// theme. Throws UserError for an unknown name, listing the known ones, and TerminalError for a file
// with faults.
ui::Theme find_theme(const std::string& name, const Paths& paths);

// The names that find_theme() knows, sorted, without duplicates.
std::vector<std::string> theme_names(const Paths& paths);

// Chooses the theme as more becomes known about the terminal. A theme that the person has named is
// always used. Otherwise it is "dark" or "light", to match the background, if that is known and the
// terminal shows 256 or more colours; "mono" if it shows no colours; and the default theme in all
// other cases.
class ThemeChoice {
 public:
  // Throws as find_theme() does, also for faults in the themes that may be chosen later.
  ThemeChoice(const std::string& name, const Paths& paths);

  const ui::Theme& theme(ui::ColorDepth depth, std::optional<ui::Background> background) const;

 private:
  ui::Theme usual_;
  struct Automatic {
    ui::Theme dark;
    ui::Theme light;
    ui::Theme mono;
  };
  std::optional<Automatic> automatic_;  // nullopt: the person named a theme
};

}  // namespace confab::app
