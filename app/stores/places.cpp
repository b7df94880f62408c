// SPDX-License-Identifier: MIT
#include "app/stores/places.h"

#include <cstdlib>

#include "app/paths.h"

namespace confab::app {

namespace fs = std::filesystem;

Places Places::of_this_machine() {
  Places places;
  places.variable = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  places.home = places.variable("HOME").value_or("");
#ifdef __APPLE__
  places.is_macos = true;
#endif
  places.bundled = find_shipped("models").value_or("");
  return places;
}

fs::path Places::expanded(const std::string& path) const {
  if (path == "~") return home;
  return path.starts_with("~/") ? home / path.substr(2) : fs::path(path);
}

std::optional<fs::path> Places::named_by(const char* name) const {
  const std::optional<std::string> value = variable(name);
  if (!value || value->empty()) return std::nullopt;
  return expanded(*value);
}

fs::path Places::cache() const {
  return named_by("XDG_CACHE_HOME").value_or(home / ".cache");
}

fs::path Places::data() const {
  return named_by("XDG_DATA_HOME").value_or(home / ".local/share");
}

fs::path Places::application_data() const {
  return is_macos ? home / "Library/Application Support" : data();
}

}  // namespace confab::app
