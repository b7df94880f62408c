// SPDX-License-Identifier: MIT
#include "app/paths.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#ifdef __APPLE__
#include <mach-o/dyld.h>

#include <array>
#endif

#include "app/error.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

fs::path home() {
  if (const char* dir = std::getenv("HOME"); dir != nullptr && *dir != '\0') return dir;
  if (const passwd* user = getpwuid(getuid()); user != nullptr && user->pw_dir != nullptr)
    return user->pw_dir;
  throw UserError("no home directory: set HOME");
}

// The XDG specification says that a relative value must be ignored.
fs::path base(const char* variable, const char* below_home) {
  if (const char* dir = std::getenv(variable); dir != nullptr && *dir == '/')
    return fs::path(dir) / "confab";
  return home() / below_home / "confab";
}

fs::path executable() {
  std::error_code error;
#ifdef __APPLE__
  std::array<char, 4096> buffer{};
  std::uint32_t size = buffer.size();
  if (_NSGetExecutablePath(buffer.data(), &size) != 0) return {};
  return fs::canonical(buffer.data(), error);
#else
  return fs::read_symlink("/proc/self/exe", error);
#endif
}

}  // namespace

Paths Paths::from_environment() {
  const fs::path config = base("XDG_CONFIG_HOME", ".config");
  return {.config_file = config / "config.toml",
          .themes = config / "themes",
          .database = base("XDG_DATA_HOME", ".local/share") / "confab.db",
          .kv = base("XDG_CACHE_HOME", ".cache") / "kv",
          .history = base("XDG_STATE_HOME", ".local/state") / "history",
          .state = base("XDG_STATE_HOME", ".local/state") / "state.toml",
          .log = base("XDG_STATE_HOME", ".local/state") / "log",
          .templates = config / "templates"};
}

std::optional<fs::path> find_shipped(const std::string& name) {
  std::error_code error;
  fs::path dir = executable().parent_path();
  if (const fs::path installed = dir / "../share/confab" / name; fs::exists(installed, error))
    return installed.lexically_normal();
  // In a build tree the program is build/PRESET/app/confab, and a test is build/PRESET/tests/...
  for (int level = 0; level < 4 && dir.has_relative_path(); ++level, dir = dir.parent_path())
    if (fs::exists(dir / name, error) && fs::exists(dir / "CMakePresets.json", error))
      return dir / name;
  return std::nullopt;
}

std::string expand_home(std::string_view path) {
  if (!path.starts_with('~')) return std::string(path);
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string name(path.substr(1, end - 1));
  const char* home = nullptr;
  if (name.empty())
    home = std::getenv("HOME");
  else if (const passwd* user = getpwnam(name.c_str()); user != nullptr)
    home = user->pw_dir;
  return (home == nullptr ? std::string(path.substr(0, end)) : home) +
         std::string(path.substr(end));
}

std::string absolute_path(std::string_view path) {
  return fs::absolute(expand_home(path)).lexically_normal().string();
}

std::string shorten_home(std::string_view path) {
  const char* home = std::getenv("HOME");
  const std::string_view folder = home == nullptr ? std::string_view() : home;
  if (folder.size() > 1 && path.starts_with(folder) && path.substr(folder.size()).starts_with('/'))
    return "~" + std::string(path.substr(folder.size()));
  return std::string(path);
}

}  // namespace confab::app
