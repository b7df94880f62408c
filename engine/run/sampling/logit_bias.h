// SPDX-License-Identifier: MIT
// What is added to the logits of certain tokens before anything else is done with them.
#pragma once

#include <vector>

#include "engine/api/sampler_params.h"
#include "engine/run/sampling/candidates.h"

namespace confab::engine {

class Tokenizer;

// The biases of the parameters, as edits of different tokens; with ignore_eos, tokens that end an
// answer are never picked. tokenizer: nullptr where there is none. Throws ModelError when the model
// has no such token.
std::vector<LogitEdit> bias_edits(const SamplerParams& params, int n_vocab,
                                  const Tokenizer* tokenizer);

}  // namespace confab::engine
