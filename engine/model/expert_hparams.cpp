// SPDX-License-Identifier: MIT
#include "engine/model/expert_hparams.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "engine/gguf/key_reader.h"
#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

void read_groups(const KeyReader& keys, ExpertHparams& experts) {
  const int n_group = keys.natural_or("expert_group_count", kMaxExperts, 0);
  if (n_group <= 1) return;
  // A group is judged by its two best experts.
  if (experts.n_expert % n_group != 0 || experts.n_expert / n_group < 2) {
    keys.refuse(
        "expert_group_count", std::to_string(n_group),
        fmt::format("groups of equal size, of 2 or more of the {} experts", experts.n_expert));
  }
  experts.n_group = n_group;
  experts.n_group_used = keys.count("expert_group_used_count", n_group);
  const int n_reachable = experts.n_expert / n_group * experts.n_group_used;
  if (experts.n_expert_used > n_reachable) {
    keys.refuse("expert_group_used_count", std::to_string(experts.n_group_used),
                fmt::format("groups with room for the {} experts used", experts.n_expert_used));
  }
}

}  // namespace

bool has_experts(const KeyReader& keys) {
  return keys.natural_or("expert_count", kMaxExperts, 0) > 0;
}

void read_experts(const KeyReader& keys, Hparams& hparams, DefaultExpertWidth width) {
  ExpertHparams& experts = hparams.experts;
  experts.n_expert = keys.count("expert_count", kMaxExperts);
  experts.n_expert_used = keys.count("expert_used_count", experts.n_expert);
  const int n_ff = hparams.layers.front().n_ff;
  const int share = width == DefaultExpertWidth::whole_layer ? n_ff : n_ff / experts.n_expert_used;
  experts.n_ff = keys.count_or("expert_feed_forward_length", kMaxExpertWidth, std::max(share, 1));
  read_groups(keys, experts);
  for (LayerHparams& layer : hparams.layers) layer.has_experts = true;
}

void read_gated_shared_expert(const KeyReader& keys, Hparams& hparams) {
  hparams.experts.n_ff_shared = keys.count_or("expert_shared_feed_forward_length", kMaxExpertWidth,
                                              hparams.layers.front().n_ff);
  hparams.experts.shared_gate = true;
}

// Source of the numbers: llama_expert_gating_func_type of llama.cpp. 0 is what files older than the
// key have.
void read_expert_weighting(const KeyReader& keys, Hparams& hparams) {
  ExpertHparams& experts = hparams.experts;
  experts.normalise_weights = keys.flag_or("expert_weights_norm", false);
  const float scale = keys.finite_or("expert_weights_scale", 0);
  experts.weights_scale = scale == 0 ? 1 : scale;
  switch (const int gating = keys.natural_or("expert_gating_func", 1 << 16, 0); gating) {
    case 0:
    case 1:
      experts.gating = ExpertGating::softmax;
      break;
    case 2:
      experts.gating = ExpertGating::sigmoid;
      break;
    case 3:
      experts.gating = ExpertGating::softmax_of_chosen;
      break;
    default:
      keys.refuse("expert_gating_func", std::to_string(gating),
                  "1 (softmax), 2 (sigmoid) or 3 (softmax of the chosen)");
  }
}

void read_mixture_after_dense(const KeyReader& keys, Hparams& hp) {
  if (!has_experts(keys)) return;
  read_experts(keys, hp, DefaultExpertWidth::whole_layer);
  read_expert_weighting(keys, hp);
  hp.experts.n_ff_shared = hp.experts.n_ff * keys.natural_or("expert_shared_count", kMaxExperts, 0);
  const int n_dense = keys.natural_or("leading_dense_block_count", hp.n_layer, 0);
  for (int il = 0; il < n_dense; ++il) hp.layers[static_cast<std::size_t>(il)].has_experts = false;
}

}  // namespace confab::engine
