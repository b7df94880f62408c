// SPDX-License-Identifier: MIT
// Requests to a model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/api/constraint_spec.h"
#include "engine/api/sampler_params.h"
#include "engine/api/turn.h"

namespace confab::engine {

struct GenerateRequest {
  std::vector<Turn> turns = {};
  SamplerParams sampling = {};
  // Names of the members of `sampling` that the user has set. A remote engine keeps its own values
  // for all others.
  std::vector<std::string> chosen = {};
  int n_predict = -1;  // most tokens to sample; -1: until the context is full
  // The reasoning is closed after so many tokens, including those of an answer that is being
  // continued. The answer's tokens then include markers that were not sampled. -1: no limit.
  int reasoning_budget = -1;
  std::vector<std::string> stop = {};  // additional stop strings
  TemplateSettings settings = {};
  ConstraintSpec shape = {};  // of the answer, after its reasoning
  // The last turn is an answer that was cut off, in its reasoning or later, and the model continues
  // it. The events then repeat the whole answer from its beginning.
  bool continues = false;
  std::int64_t origin = 0;  // owner of the blocks that this adds to the store; 0: none
};

// Asks how likely each of some texts is as the answer. Nothing is sampled.
struct ScoreRequest {
  std::vector<Turn> turns = {};
  std::vector<std::string> options = {};  // at least one; none is empty
  TemplateSettings settings = {};
  std::int64_t origin = 0;  // as in GenerateRequest
};

// The question that the user is likely to ask next.
struct PrepareRequest {
  std::vector<Turn> turns = {};  // the conversation so far
  std::string draft = {};        // the start of the next question, as far as it is known
  TemplateSettings settings = {};
  std::int64_t origin = 0;
};

// A prompt whose tokens are to be counted.
struct CountRequest {
  std::uint64_t number = 0;  // is returned with the count
  std::vector<Turn> turns = {};
  TemplateSettings settings = {};
};

}  // namespace confab::engine
