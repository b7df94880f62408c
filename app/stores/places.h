// SPDX-License-Identifier: MIT
// The places where programs keep their files. They are values, so that the places of one system can
// be tested on another.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace confab::app {

struct Places {
  std::filesystem::path home;  // empty: there is no home, and nothing is searched below it
  std::function<std::optional<std::string>(const char* name)>
      variable;  // reads a variable of the environment
  bool is_macos = false;
  std::filesystem::path root = "/";  // root of the system's folders
  std::filesystem::path bundled;     // folder with the shipped models; empty: none

  static Places of_this_machine();

  // The folder that a variable names, with ~ expanded as a shell does; nullopt if it is unset or
  // empty.
  std::optional<std::filesystem::path> named_by(const char* variable) const;
  // Expands a path from a settings file: ~ is the home directory.
  std::filesystem::path expanded(const std::string& path) const;
  // $XDG_CACHE_HOME, else ~/.cache. Also on macOS, for programs that use it there.
  std::filesystem::path cache() const;
  // $XDG_DATA_HOME, else ~/.local/share.
  std::filesystem::path data() const;
  // The folder in which graphical programs keep their data: data(), or ~/Library/Application
  // Support.
  std::filesystem::path application_data() const;
};

}  // namespace confab::app
