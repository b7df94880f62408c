// SPDX-License-Identifier: MIT
// Finds colour themes: the user's own first, then those shipped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/paths.h"
#include "ui/event.h"
#include "ui/theme.h"

namespace confab::app {

// name: a theme's name or the path of a TOML file (with a slash or ".toml"); empty: the default.
// Throws UserError for an unknown name (with the known ones), TerminalError for a file with faults.
ui::Theme find_theme(const std::string& name, const Paths& paths);

// The names that find_theme() knows, sorted, each once.
std::vector<std::string> theme_names(const Paths& paths);

// The theme of a terminal of which more becomes known with time. Where the person has named none
// it is the default, but "dark" or "light" after the background where that is known and 256 or more
// colours can be shown, and "mono" where none can.
class ThemeChoice {
 public:
  // As find_theme(); faults of the files that may be chosen later are told at once too.
  ThemeChoice(const std::string& name, const Paths& paths);

  const ui::Theme& theme(ui::ColorDepth depth, std::optional<ui::Background> background) const;

 private:
  ui::Theme usual_;
  struct Automatic {
    ui::Theme dark;
    ui::Theme light;
    ui::Theme mono;
  };
  std::optional<Automatic> automatic_;  // nullopt: one was named
};

}  // namespace confab::app
