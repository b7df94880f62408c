// SPDX-License-Identifier: MIT
// Where programs keep their files: as values, so that the places of one system can be tested on
// another.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace confab::app {

struct Places {
  std::filesystem::path home;  // empty: nobody has one, and nothing is looked for below it
  std::function<std::optional<std::string>(const char* name)> variable;  // of the environment
  bool is_macos = false;
  std::filesystem::path root = "/";  // of the folders that are the system's
  std::filesystem::path bundled;     // the folder of the models that are shipped; empty: none

  static Places of_this_machine();

  // The folder that a variable names, with ~ as a shell has it; nullopt: it is not set, or empty.
  std::optional<std::filesystem::path> named_by(const char* variable) const;
  // A path as a settings file has it: ~ is the home directory.
  std::filesystem::path expanded(const std::string& path) const;
  // $XDG_CACHE_HOME, else ~/.cache; on macOS too, for programs that do so there.
  std::filesystem::path cache() const;
  // $XDG_DATA_HOME, else ~/.local/share.
  std::filesystem::path data() const;
  // Where programs with a window keep their data: data(), or ~/Library/Application Support.
  std::filesystem::path application_data() const;
};

}  // namespace confab::app
