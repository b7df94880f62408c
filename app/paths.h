// SPDX-License-Identifier: MIT
// Where things are kept (the XDG base directories) and where what is shipped is found.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace confab::app {

// A shipped file such as "models/confab-demo.gguf": in share/confab beside the bin folder that this
// program is installed in, or in the source tree that it was built in. nullopt: not there.
std::optional<std::filesystem::path> find_shipped(const std::string& name);

// The home of each kind of file; none is created here. Throws UserError when there is no home
// directory to put them in.
struct Paths {
  std::filesystem::path config_file;  // $XDG_CONFIG_HOME/confab/config.toml
  std::filesystem::path themes;       // $XDG_CONFIG_HOME/confab/themes
  std::filesystem::path database;     // $XDG_DATA_HOME/confab/confab.db
  std::filesystem::path kv;           // $XDG_CACHE_HOME/confab/kv
  std::filesystem::path history;      // $XDG_STATE_HOME/confab/history
  std::filesystem::path state;        // $XDG_STATE_HOME/confab/state.toml
  std::filesystem::path log;          // $XDG_STATE_HOME/confab/log
  std::filesystem::path templates;    // $XDG_CONFIG_HOME/confab/templates
  // Empty: not there.
  std::filesystem::path shipped_themes = find_shipped("themes").value_or("");

  static Paths from_environment();
};

// A path as a person types it: "~" and "~/..." begin at the home directory, where HOME names one,
// and "~NAME/..." at that user's, if there is one. Whatever opens or writes a file that a person
// has named calls this, and nothing else does: so it holds in commands, flags and configuration.
std::string expand_home(std::string_view path);
// The same from the root on, whatever folder a later run is started in.
std::string absolute_path(std::string_view path);
// The other way round, to show it.
std::string shorten_home(std::string_view path);

}  // namespace confab::app
