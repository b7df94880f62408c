// SPDX-License-Identifier: MIT
// What a model is asked for.
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
  // The parameters of `sampling` that somebody has chosen, by the names of the members: an engine
  // elsewhere keeps its own values of the others.
  std::vector<std::string> chosen = {};
  int n_predict = -1;  // at most so many tokens sampled; -1: until the context is full
  // After so many tokens of reasoning, those of an answer that is gone on with among them, it is
  // closed: the tokens of the answer then have markers that were not sampled. -1: no limit.
  int reasoning_budget = -1;
  std::vector<std::string> stop = {};  // further stop strings
  TemplateSettings settings = {};
  ConstraintSpec shape = {};  // of the answer, after its reasoning
  // The last turn is an answer that was cut off, in its reasoning or after; the model goes on with
  // it. The events then tell the whole answer from its beginning.
  bool continues = false;
  std::int64_t origin = 0;  // of the blocks that this adds to the store, for its lists; 0: none
};

// Texts that an answer may be, of which it is to be known how likely each is: nothing is sampled.
struct ScoreRequest {
  std::vector<Turn> turns = {};
  std::vector<std::string> options = {};  // 1 or more, none empty
  TemplateSettings settings = {};
  std::int64_t origin = 0;  // as that of GenerateRequest
};

// What is likely to be asked next.
struct PrepareRequest {
  std::vector<Turn> turns = {};  // all that has been said
  std::string draft = {};        // what the next question will begin with, as far as it is known
  TemplateSettings settings = {};
  std::int64_t origin = 0;
};

// A prompt whose tokens are to be counted.
struct CountRequest {
  std::uint64_t number = 0;  // comes back with the count
  std::vector<Turn> turns = {};
  TemplateSettings settings = {};
};

}  // namespace confab::engine
