// SPDX-License-Identifier: MIT
// A model that another engine runs, on this machine or elsewhere: llama-server, vLLM, SGLang, LM
// Studio, Ollama, or what speaks as they do.
//
// What is said to it leaves this program: ModelInfo::place says where it goes. Its tokens are not
// known here, so that counts before an answer are estimates, and its prompt is what its own
// template makes of the messages.
#pragma once

#include <memory>
#include <string>

#include "engine/api/chat_model.h"
#include "engine/remote/engine_facts.h"
#include "engine/remote/engine_probe.h"

namespace confab::engine {

struct RemoteOptions {
  EngineAddress address;
  std::string model = {};  // what find_served() takes
  int n_ctx = 0;           // for Ollama, or an engine that does not say; 0: what it has
  ProbeWait wait = {};     // while the engine loads its model
};

// Asks the engine what it serves, and waits for that. The client is the model's from then on: who
// shares it may abandon() it meanwhile, and lets go of it before the model ends. Throws ModelError
// as probe_engine().
std::unique_ptr<ChatModel> load_remote_model(
    const RemoteOptions& options,
    std::shared_ptr<HttpClient> client = std::make_shared<HttpClient>());

}  // namespace confab::engine
