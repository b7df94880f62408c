// SPDX-License-Identifier: MIT
// Chooses each token's experts in a mixture of experts, and groups the tokens of a run by expert,
// so that an expert's weights are read once for all of its tokens.
#pragma once

#include "engine/model/hparams.h"
#include "kernels/kernel_table.h"

namespace confab::engine {

struct ChosenExpert {
  int id;        // in [0, n_expert)
  float weight;  // multiplies the expert's output
};

// Chooses hp.n_expert_used experts, in ascending order of id, from one token's router logits
// [n_expert], which are overwritten. selection_bias, [n_expert] or nullptr, is added to the scores
// that decide the choice, but not to the weights. If two experts have the same score, the lower id
// wins. NaN logits still give ids in range.
//
// Source of the order of operations: DeepSeek-V3 (arXiv:2412.19437, section 2.1.2) and llama.cpp's
// build_moe_ffn(), which covers the other models.
void choose_experts(const ExpertHparams& hp, const kernels::KernelTable& kernel, float* logits,
                    const float* selection_bias, ChosenExpert* chosen) noexcept;

// A token that chose an expert.
struct ExpertRow {
  int token;
  float weight;
};

// Rows [begin, end) belong to this expert.
struct ExpertGroup {
  int expert;
  int begin;
  int end;
};

// Turns `chosen`, [n_tokens, n_expert_used], into `rows`, [n_tokens * n_expert_used], ordered by
// expert and then by token, and `groups`, one for each chosen expert. `groups` must have room for
// n_expert entries. Returns the number of groups.
int group_by_expert(const ExpertHparams& hp, const ChosenExpert* chosen, int n_tokens,
                    ExpertRow* rows, ExpertGroup* groups) noexcept;

}  // namespace confab::engine
