// SPDX-License-Identifier: MIT
// Which engine the name of a model means, and which ones run on this machine.
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
  std::string model;  // empty: the one that it has loaded
};

// "work/MODEL" or "work" of an engine that config.toml names, "http://HOST:PORT#MODEL", or
// "127.0.0.1:PORT/MODEL" of one on this machine. nullopt: a model of no engine. Throws UserError
// for an URL that is none.
std::optional<EngineChoice> engine_choice(const std::string& name,
                                          std::span<const EngineConfig> engines);
engine::RemoteOptions remote_options(const EngineChoice& choice, std::string key);

// Where engines usually listen on this machine: those of `engines` are left out.
std::vector<EngineConfig> usual_engines(std::span<const EngineConfig> engines);

struct AskedEngine {
  EngineConfig config;
  engine::EngineFacts facts = {};
  std::string fault = {};  // why nothing is known of it; empty: it answers
};
// Asks them all side by side, each so long at most until it answers at all.
std::vector<AskedEngine> ask_engines(std::vector<EngineConfig> engines,
                                     std::chrono::milliseconds connect);
// Those on this machine that answer within 100 ms; nobody else is asked. Empty also where there is
// no libcurl.
std::vector<AskedEngine> running_engines(std::span<const EngineConfig> engines);

// A model that can be chosen without asking anybody beyond this machine.
struct OfferedModel {
  std::string name;   // that -m and /model take
  std::string where;  // "Ollama, 8,192 tokens"
};
std::vector<OfferedModel> offered_models(std::span<const EngineConfig> engines);

}  // namespace confab::app
