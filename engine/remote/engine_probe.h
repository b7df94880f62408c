// SPDX-License-Identifier: MIT
// Asks an engine what it is and what it serves.
#pragma once

#include <functional>
#include <string>

#include "engine/error.h"
#include "engine/remote/engine_facts.h"
#include "engine/remote/http_client.h"

namespace confab::engine {

// It wants another key, or any.
class KeyRefused : public ModelError {
 public:
  using ModelError::ModelError;
};

// Called while the engine loads its model, with what it says of that: waits a moment, after which
// it is asked again. False: no more.
using ProbeWait = std::function<bool(const std::string&)>;

// Waits for the engine, up to address.connect for its first answer and five times as long for all.
// Throws ModelError, KeyRefused among these: one line that names the engine.
EngineFacts probe_engine(HttpClient& client, const EngineAddress& address,
                         const ProbeWait& wait = {});
// What it tells of one of its models only when asked for that one.
void learn_model(HttpClient& client, const EngineAddress& address, EngineKind kind,
                 ServedModel& model);
// The one that a name means: the same, or the only one that it is a part of, whatever the case.
// Empty: the one that is loaded, else the first. Throws ModelError, which names those there are.
const ServedModel& find_served(const EngineFacts& facts, const EngineAddress& address,
                               const std::string& name);

}  // namespace confab::engine
