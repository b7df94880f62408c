// SPDX-License-Identifier: MIT
// The choice of a token's experts in a mixture of experts.
#pragma once

#include "engine/model/hparams.h"
#include "kernels/kernel_table.h"

namespace confab::engine {

struct ChosenExpert {
  int id;        // in [0, n_expert)
  float weight;  // of what the expert gives
};

// Chooses hp.n_expert_used experts, by ascending id, from the router's logits [n_expert] of one
// token, which are overwritten. selection_bias [n_expert] (or nullptr) is added to the scores to
// choose by, but not to the weights. Of experts with the same score the lower id is chosen; logits
// that are no numbers still give ids in range.
//
// Source of the order of operations: DeepSeek-V3 (arXiv:2412.19437, section 2.1.2) and llama.cpp's
// build_moe_ffn(), which covers the others.
void choose_experts(const ExpertHparams& hp, const kernels::KernelTable& kernel, float* logits,
                    const float* selection_bias, ChosenExpert* chosen) noexcept;

}  // namespace confab::engine
