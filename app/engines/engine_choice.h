// SPDX-License-Identifier: MIT
// Finds the engine that the name of a model refers to, and the engines that run on this machine.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/engine_config.h"
#include "engine/remote/engine_facts.h"
#include "engine/remote/remote_chat_model.h"

namespace confab::app {

struct EngineChoice {
  EngineConfig engine;
  std::string model;  // empty: the model that it has loaded
};

// Accepts "work/MODEL" or "work" for an engine named in config.toml, "http://HOST:PORT#MODEL", and
// "127.0.0.1:PORT/MODEL" for an engine on this machine. Returns nullopt if the model belongs to no
// engine. Throws UserError for an invalid URL.
std::optional<EngineChoice> engine_choice(const std::string& name,
                                          std::span<const EngineConfig> engines);
engine::RemoteOptions remote_options(const EngineChoice& choice, std::string key);

// The addresses where engines usually listen on this machine, without those in `engines`.
std::vector<EngineConfig> usual_engines(std::span<const EngineConfig> engines);

struct AskedEngine {
  EngineConfig config;
  engine::EngineFacts facts = {};
  std::string fault = {};  // why it could not be asked; empty: it answers
};
// Asks all of them in parallel, and waits for each to connect this long at most.
std::vector<AskedEngine> ask_engines(std::vector<EngineConfig> engines,
                                     std::chrono::milliseconds connect);
// The engines on this machine that connect within 100 ms; no other machine is contacted. Empty also
// if libcurl is not available.
std::vector<AskedEngine> running_engines(std::span<const EngineConfig> engines);

// A model that can be offered without asking any other machine.
struct OfferedModel {
  std::string name;   // name for -m and /model
  std::string where;  // "Ollama, 8,192 tokens"
};
std::vector<OfferedModel> offered_models(std::span<const EngineConfig> engines);

}  // namespace confab::app
