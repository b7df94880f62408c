// SPDX-License-Identifier: MIT
// Asks an engine what it is and which models it serves.
#pragma once

#include <functional>
#include <string>

#include "engine/error.h"
#include "engine/remote/engine_facts.h"
#include "engine/remote/http_client.h"

namespace confab::engine {

// The engine wants a key, or another one.
class KeyRefused : public ModelError {
 public:
  using ModelError::ModelError;
};

// Called with the engine's own words while it loads its model. Waits a moment before the next
// attempt. Returns false to give up.
using ProbeWait = std::function<bool(const std::string&)>;

// Waits up to address.connect for the engine's first response, and five times as long in all.
// Throws ModelError (including KeyRefused) with one line that names the engine.
EngineFacts probe_engine(HttpClient& client, const EngineAddress& address,
                         const ProbeWait& wait = {});
// Fills in what the engine reports only when asked about this one model.
void learn_model(HttpClient& client, const EngineAddress& address, EngineKind kind,
                 ServedModel& model);
// Finds the model that a name means: an exact match, or the only model whose name contains it,
// ignoring case. An empty name means the loaded model, or else the first. Throws ModelError that
// lists the models.
const ServedModel& find_served(const EngineFacts& facts, const EngineAddress& address,
                               const std::string& name);

}  // namespace confab::engine
