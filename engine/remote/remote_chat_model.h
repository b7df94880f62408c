// SPDX-License-Identifier: MIT
// A model run by another engine, on this machine or elsewhere: llama-server, vLLM, SGLang, LM
// Studio, Ollama, or one that speaks as they do.
//
// The conversation leaves this program; ModelInfo::place says where it goes. Tokens are not known
// here, so counts before an answer are estimates. The engine's own template builds the prompt from
// the messages.
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
  std::string model = {};  // a name for find_served()
  int n_ctx = 0;           // for Ollama, and engines that report none; 0: the default
  ProbeWait wait = {};     // while the engine loads its model
};

// Asks the engine what it serves and waits for the reply. The model uses the client from then on.
// Others that share it may call abandon() meanwhile, and must release it before the model is
// destroyed. Throws ModelError as probe_engine() does.
std::unique_ptr<ChatModel> load_remote_model(
    const RemoteOptions& options,
    std::shared_ptr<HttpClient> client = std::make_shared<HttpClient>());

// Estimates the tokens of a prompt from its bytes, because only the engine has the tokenizer. Each
// count that the engine reports improves the estimate. Public for its test.
class TokenEstimate {
 public:
  int count(const std::vector<Turn>& turns) const;
  // The engine counted n_tokens for a prompt of this size.
  void learn(std::size_t n_bytes, std::size_t n_turns, int n_tokens);

  // The size that count() uses: bytes of text, with non-ASCII characters counted higher.
  static std::size_t n_bytes(const std::vector<Turn>& turns);

 private:
  int count(std::size_t n_bytes, std::size_t n_turns) const;

  double bytes_per_token_ = 3.6;  // English prose has about 4.5, code 3
};

}  // namespace confab::engine
