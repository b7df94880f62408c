// SPDX-License-Identifier: MIT
#include "app/themes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
    return ui::load_theme(name);
  const fs::path shipped = find_shipped("themes").value_or(fs::path());
  std::error_code error;
  for (const fs::path& folder : {paths.themes, shipped})
    if (const fs::path file = folder / (name + ".toml"); fs::exists(file, error))
      return ui::load_theme(file.string());
  std::set<std::string> known = names_in(paths.themes);
  known.merge(names_in(shipped));
  throw UserError(fmt::format("no theme '{}'; known: {}", name, fmt::join(known, ", ")));
}

}  // namespace confab::app
