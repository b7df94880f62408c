// SPDX-License-Identifier: MIT
// The places where files are kept (the XDG base directories), and where shipped files are found.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace confab::app {

// Finds a shipped file, such as "models/confab-demo.gguf": in share/confab beside the bin folder
// that this program is installed in, or in the source tree that it was built in. Returns nullopt if
// it is not there.
std::optional<std::filesystem::path> find_shipped(const std::string& name);

// The place of each kind of file; nothing is created here. Throws UserError if there is no home
// directory.
struct Paths {
  std::filesystem::path config_file;  // $XDG_CONFIG_HOME/confab/config.toml
  std::filesystem::path themes;       // $XDG_CONFIG_HOME/confab/themes
  std::filesystem::path database;     // $XDG_DATA_HOME/confab/confab.db
  std::filesystem::path kv;           // $XDG_CACHE_HOME/confab/kv
  std::filesystem::path history;      // $XDG_STATE_HOME/confab/history
  std::filesystem::path state;        // $XDG_STATE_HOME/confab/state.toml
  std::filesystem::path log;          // $XDG_STATE_HOME/confab/log
  std::filesystem::path templates;    // $XDG_CONFIG_HOME/confab/templates
  // Empty if they are not found.
  std::filesystem::path shipped_themes = find_shipped("themes").value_or("");

  static Paths from_environment();
};

// Expands a path as a person types it: "~" and "~/..." start at the home directory, if HOME is set,
// and "~NAME/..." at that user's, if there is one. Every function that opens or writes a file named
// by a person calls this, and no other function does, so that it works in commands, flags and
// configuration alike.
std::string expand_home(std::string_view path);
// The same as an absolute path, which works in whatever folder a later run starts.
std::string absolute_path(std::string_view path);
// The reverse, for showing a path.
std::string shorten_home(std::string_view path);

}  // namespace confab::app
