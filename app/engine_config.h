// SPDX-License-Identifier: MIT
// An engine as config.toml names it:
//
//   [engines.work]
//   url = "https://engine.example/v1"
//   key_env = "WORK_KEY"              # or key_command, or key_file
//   models = ["qwen3-32b"]            # of those that it serves, to be offered
//   timeout = 600                     # seconds of silence, until it has failed
#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace confab::app {

struct TomlEntry;

struct EngineConfig {
  bool operator==(const EngineConfig&) const = default;

  std::string name;
  std::string url;
  // Where its key is: at most one of these.
  std::string key_env = {};
  std::string key_command = {};
  std::string key_file = {};
  std::vector<std::string> models = {};  // empty: all that it serves
  int timeout = 600;                     // seconds
};

// Reads the tables in [engines] into `engines`; of what is wrong there is nothing in them. Each
// fault is a line of the file and what is wrong there.
struct EngineFault {
  int line = 0;
  std::string text;
};
std::vector<EngineFault> read_engines(const TomlEntry& entry, std::vector<EngineConfig>& engines);

// The key. Empty: the engine has none. Throws UserError where it cannot be had, without a word of
// it: a file that others can read is refused, and a command that takes too long is ended, as is one
// that is not waited for any more.
std::string key_of(const EngineConfig& engine, const std::stop_token& stop = {});

}  // namespace confab::app
