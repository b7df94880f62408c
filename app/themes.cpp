// SPDX-License-Identifier: MIT
#include "app/themes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "app/error.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml") names.insert(entry.path().stem().string());
  return names;
}

}  // namespace

ui::Theme find_theme(const std::string& name, const Paths& paths) {
  if (name.empty()) return ui::default_theme();
  if (name.find('/') != std::string::npos || fs::path(name).extension() == ".toml")
    return ui::load_theme(expand_home(name));
  std::error_code error;
  for (const fs::path& folder : {paths.themes, paths.shipped_themes})
    if (const fs::path file = folder / (name + ".toml"); fs::exists(file, error))
      return ui::load_theme(file.string());
  throw UserError(
      fmt::format("no theme '{}'; known: {}", name, fmt::join(theme_names(paths), ", ")));
}

std::vector<std::string> theme_names(const Paths& paths) {
  std::set<std::string> names = names_in(paths.themes);
  names.merge(names_in(paths.shipped_themes));
  return {names.begin(), names.end()};
}

ThemeChoice::ThemeChoice(const std::string& name, const Paths& paths)
    : usual_(find_theme(name, paths)) {
  if (!name.empty()) return;
  // Without theme files the built-in theme is used.
  const std::vector<std::string> known = theme_names(paths);
  const auto find = [&](const char* wanted) {
    return std::ranges::find(known, wanted) == known.end() ? usual_ : find_theme(wanted, paths);
  };
  automatic_ = {.dark = find("dark"), .light = find("light"), .mono = find("mono")};
}

const ui::Theme& ThemeChoice::theme(ui::ColorDepth depth,
                                    std::optional<ui::Background> background) const {
  if (!automatic_) return usual_;
  if (depth == ui::ColorDepth::none) return automatic_->mono;
  if (depth < ui::ColorDepth::ansi256 || !background) return usual_;
  return *background == ui::Background::light ? automatic_->light : automatic_->dark;
}

}  // namespace confab::app
