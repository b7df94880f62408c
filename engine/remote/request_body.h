// SPDX-License-Identifier: MIT
// What an engine is asked, in its own words: a field that it would not know, and so ignore
// silently, is never sent.
#pragma once

#include <string>
#include <vector>

#include "engine/api/requests.h"
#include "engine/remote/engine_facts.h"

namespace confab::engine {

// Of the engine and the model that a request goes to.
struct Addressee {
  EngineKind kind = EngineKind::other;
  std::string model = {};
  std::string api = "/v1";         // EngineFacts'
  int n_ctx = 0;                   // that the engine is to take: Ollama's num_ctx
  std::string reasoning_key = {};  // under which its reasoning came; empty: none has come yet
};

struct RequestBody {
  std::string path;  // "/v1/chat/completions"
  std::string text;  // JSON
  // What was chosen for the answer that this engine does not take: parameters by their names.
  std::vector<std::string> left_out = {};
};

// Throws ModelError, one line, where this engine cannot be held to the shape of the answer.
RequestBody request_body(const Addressee& to, const GenerateRequest& request);
// Whether this engine goes on with an answer that is begun as if it had begun it itself.
bool goes_on_exactly(EngineKind kind) noexcept;
// Asks for one token, and how likely the likeliest ones are. beginning: of the answer, before it;
// not empty only of an engine that goes on exactly.
RequestBody score_body(const Addressee& to, const ScoreRequest& request,
                       const std::string& beginning = {});

// The shape as a grammar of llama.cpp's: of choices. Public for its test.
std::string choices_grammar(const std::vector<std::string>& choices);

}  // namespace confab::engine
