// SPDX-License-Identifier: MIT
// A model that another engine runs, on this machine or elsewhere: llama-server, vLLM, SGLang, LM
// Studio, Ollama, or what speaks as they do.
//
// What is said to it leaves this program: ModelInfo::place says where it goes. Its tokens are not
// known here, so that counts before an answer are estimates, and its prompt is what its own
// template makes of the messages.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/chat_model.h"
#include "engine/api/turn.h"
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

// How many tokens a prompt may have for an engine that has the only tokenizer: by its bytes, the
// better the more prompts the engine has counted. Public for its test.
class TokenEstimate {
 public:
  int count(const std::vector<Turn>& turns) const;
  // The engine has counted so many tokens of these.
  void learn(std::size_t n_bytes, std::size_t n_turns, int n_tokens);

  // What count() goes by: bytes of text, of which those outside of ASCII count for more.
  static std::size_t n_bytes(const std::vector<Turn>& turns);

 private:
  int count(std::size_t n_bytes, std::size_t n_turns) const;

  double bytes_per_token_ = 3.6;  // of English prose about 4.5, of code 3
};

}  // namespace confab::engine
