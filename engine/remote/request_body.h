// SPDX-License-Identifier: MIT
// Builds requests in each engine's own terms. A field that an engine does not know, and would
// silently ignore, is never sent.
#pragma once

#include <string>
#include <vector>

#include "engine/api/requests.h"
#include "engine/remote/engine_facts.h"

namespace confab::engine {

// The engine and the model that a request goes to.
struct Addressee {
  EngineKind kind = EngineKind::other;
  std::string model = {};
  std::string api = "/v1";         // from EngineFacts
  int n_ctx = 0;                   // context size to request: Ollama's num_ctx
  std::string reasoning_key = {};  // the key under which its reasoning arrived; empty until then
};

struct RequestBody {
  std::string path;  // "/v1/chat/completions"
  std::string text;  // JSON
  // Names of the parameters that were set for the answer but that this engine does not support.
  std::vector<std::string> left_out = {};
};

// Throws ModelError with one line if this engine cannot enforce the shape of the answer.
RequestBody request_body(const Addressee& to, const GenerateRequest& request);
// Whether this engine continues a given beginning of an answer as if it had written it itself.
bool goes_on_exactly(EngineKind kind) noexcept;
// Asks for one token and the likelihoods of the likeliest ones. `beginning`: the answer before that
// token; must be empty unless goes_on_exactly().
RequestBody score_body(const Addressee& to, const ScoreRequest& request,
                       const std::string& beginning = {});

// A list of choices as a llama.cpp grammar. Public for its test.
std::string choices_grammar(const std::vector<std::string>& choices);

}  // namespace confab::engine
