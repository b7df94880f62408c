// SPDX-License-Identifier: MIT
// The tokens of a run, grouped by the experts that they chose: so that an expert's weights are read
// once for all of its tokens.
#pragma once

#include "engine/cpu/router.h"

namespace confab::engine {

// A token that chose an expert.
struct ExpertRow {
  int token;
  float weight;
};

// The rows [begin, end) belong to one expert.
struct ExpertGroup {
  int expert;
  int begin;
  int end;
};

// chosen [n_tokens, n_expert_used] becomes rows [n_tokens * n_expert_used], by ascending expert and
// within an expert by ascending token, and groups, one for each expert that was chosen. `groups`
// has room for n_expert. Returns the number of groups.
int group_by_expert(const ExpertHparams& hp, const ChosenExpert* chosen, int n_tokens,
                    ExpertRow* rows, ExpertGroup* groups) noexcept;

}  // namespace confab::engine
