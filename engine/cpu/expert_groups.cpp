// SPDX-License-Identifier: MIT
#include "engine/cpu/expert_groups.h"

#include <algorithm>

namespace confab::engine {

int group_by_expert(const ExpertHparams& hp, const ChosenExpert* chosen, int n_tokens,
                    ExpertRow* rows, ExpertGroup* groups) noexcept {
  const int n_chosen = n_tokens * hp.n_expert_used;
  for (int e = 0; e < hp.n_expert; ++e) groups[e] = {e, 0, 0};
  for (int i = 0; i < n_chosen; ++i) ++groups[chosen[i].id].end;
  int n_rows = 0;
  for (int e = 0; e < hp.n_expert; ++e) {
    const int size = groups[e].end;
    groups[e].begin = groups[e].end = n_rows;
    n_rows += size;
  }
  for (int i = 0; i < n_chosen; ++i) {
    rows[groups[chosen[i].id].end++] = {i / hp.n_expert_used, chosen[i].weight};
  }
  const auto end = std::remove_if(groups, groups + hp.n_expert,
                                  [](const ExpertGroup& g) { return g.begin == g.end; });
  return static_cast<int>(end - groups);
}

}  // namespace confab::engine
