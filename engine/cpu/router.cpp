// SPDX-License-Identifier: MIT
#include "engine/cpu/router.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace confab::engine {
namespace {

// A sum of weights smaller than the smallest normal f16 counts as this, as in llama.cpp.
constexpr float kMinWeightSum = 0x1p-14F;

// Finds the n_best highest of n scores, best first.
void best_of(const float* scores, int n, int n_best, int* best) noexcept {
  int n_found = 0;
  for (int i = 0; i < n; ++i) {
    int place = n_found;
    while (place > 0 && scores[i] > scores[best[place - 1]]) --place;
    if (place == n_best) continue;
    n_found = std::min(n_found + 1, n_best);
    std::copy_backward(best + place, best + n_found - 1, best + n_found);
    best[place] = i;
  }
}

// Gives -infinity to the scores of all but the best groups. A group's score is the sum of its two
// best.
void keep_best_groups(const ExpertHparams& hp, float* scores) noexcept {
  const int size = hp.n_expert / hp.n_group;
  std::array<float, kMaxExperts> group_scores;
  std::array<int, kMaxExperts> kept;
  for (int g = 0; g < hp.n_group; ++g) {
    int best[2];
    best_of(scores + g * size, size, 2, best);
    group_scores[static_cast<std::size_t>(g)] =
        scores[g * size + best[0]] + scores[g * size + best[1]];
  }
  best_of(group_scores.data(), hp.n_group, hp.n_group_used, kept.data());
  const auto kept_end = kept.begin() + hp.n_group_used;
  for (int g = 0; g < hp.n_group; ++g) {
    if (std::find(kept.begin(), kept_end, g) != kept_end) continue;
    std::fill_n(scores + g * size, size, -std::numeric_limits<float>::infinity());
  }
}

void apply_gating(const ExpertHparams& hp, const kernels::KernelTable& kernel,
                  float* logits) noexcept {
  switch (hp.gating) {
    case ExpertGating::softmax:
      kernel.softmax(logits, hp.n_expert);
      return;
    case ExpertGating::sigmoid:
      for (int i = 0; i < hp.n_expert; ++i) logits[i] = 1 / (1 + std::exp(-logits[i]));
      return;
    case ExpertGating::softmax_of_chosen:
      return;
  }
}

// Turns the gated logits of the chosen experts into the factors of their outputs.
void finish_weights(const ExpertHparams& hp, const kernels::KernelTable& kernel,
                    float* weights) noexcept {
  if (hp.gating == ExpertGating::softmax_of_chosen) kernel.softmax(weights, hp.n_expert_used);
  float scale = hp.weights_scale;
  if (hp.normalise_weights) {
    float sum = 0;
    for (int i = 0; i < hp.n_expert_used; ++i) sum += weights[i];
    scale /= std::max(sum, kMinWeightSum);
  }
  for (int i = 0; i < hp.n_expert_used; ++i) weights[i] *= scale;
}

}  // namespace

void choose_experts(const ExpertHparams& hp, const kernels::KernelTable& kernel, float* logits,
                    const float* selection_bias, ChosenExpert* chosen) noexcept {
  assert(hp.n_expert <= kMaxExperts && hp.n_expert_used >= 1 && hp.n_expert_used <= hp.n_expert);
  apply_gating(hp, kernel, logits);
  std::array<float, kMaxExperts> scores;
  std::copy_n(logits, hp.n_expert, scores.data());
  if (selection_bias != nullptr) kernel.add(selection_bias, hp.n_expert, scores.data());
  if (hp.n_group > 1) keep_best_groups(hp, scores.data());

  std::array<int, kMaxExperts> ids;
  best_of(scores.data(), hp.n_expert, hp.n_expert_used, ids.data());
  std::array<float, kMaxExperts> weights;
  for (int i = 0; i < hp.n_expert_used; ++i) {
    weights[static_cast<std::size_t>(i)] = logits[ids[static_cast<std::size_t>(i)]];
  }
  finish_weights(hp, kernel, weights.data());
  for (int i = 0; i < hp.n_expert_used; ++i) {
    const auto at = static_cast<std::size_t>(i);
    chosen[i] = {ids[at], weights[at]};
  }
  std::sort(chosen, chosen + hp.n_expert_used,
            [](const ChosenExpert& a, const ChosenExpert& b) { return a.id < b.id; });
}

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
