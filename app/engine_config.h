// SPDX-License-Identifier: MIT
// An engine as config.toml describes it:
//
//   [engines.work]
//   url = "https://engine.example/v1"
//   key_env = "WORK_KEY"              # or key_command, or key_file
//   models = ["qwen3-32b"]            # which of its models to offer
//   timeout = 600                     # seconds of silence after which it counts as failed
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
  // Where its key is found; at most one of these is set.
  std::string key_env = {};
  std::string key_command = {};
  std::string key_file = {};
  std::vector<std::string> models = {};  // empty: all models that it serves
  int timeout = 600;                     // seconds
};

// Reads the tables in [engines] into `engines`. A table with a fault is left out. Each fault has a
// line number and says what is wrong there.
struct EngineFault {
  int line = 0;
  std::string text;
};
std::vector<EngineFault> read_engines(const TomlEntry& entry, std::vector<EngineConfig>& engines);

// Returns the engine's key; empty if it has none. Throws UserError if the key cannot be had; the
// message never contains any of it. A key file that others can read is refused. A key command is
// ended if it takes too long or `stop` is requested.
std::string key_of(const EngineConfig& engine, const std::stop_token& stop = {});

}  // namespace confab::app
