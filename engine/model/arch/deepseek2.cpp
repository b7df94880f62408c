// SPDX-License-Identifier: MIT
// DeepSeek-V2, V3 and R1, and models built like them (arXiv:2405.04434, arXiv:2412.19437): latent
// attention, and, after some dense layers, mixtures with shared experts.
#include <cmath>
#include <string>

#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

constexpr int kMaxRank = 1 << 14;
constexpr int kMaxHeadDim = 1 << 12;

// Older files give the sizes of a head where newer files give those of the cache.
void read_latent(const KeyReader& keys, Hparams& hp) {
  const int n_rot = hp.ropes[0].n_rot;
  hp.latent.kv_rank = keys.count("attention.kv_lora_rank", kMaxRank);
  hp.latent.q_rank = keys.natural_or("attention.q_lora_rank", kMaxRank, 0);
  const int head_dim =
      keys.count_or("attention.key_length_mla", kMaxHeadDim, hp.layers[0].head_dim_k);
  hp.latent.head_dim_v =
      keys.count_or("attention.value_length_mla", kMaxHeadDim, hp.layers[0].head_dim_v);
  hp.latent.head_dim_nope = head_dim - n_rot;
  if (hp.latent.head_dim_nope < 1) {
    keys.refuse("rope.dimension_count", std::to_string(n_rot),
                "less than the " + std::to_string(head_dim) + " of a head");
  }
  for (LayerHparams& layer : hp.layers) {
    layer.n_head_kv = 1;
    layer.head_dim_k = hp.latent.kv_rank + n_rot;
    layer.head_dim_v = hp.latent.kv_rank;
  }
  hp.ropes[0].offset = hp.latent.kv_rank;
}

// Files of GLM-4.7-Flash that predate the key need sigmoid routing. They are recognised by their
// sizes (llama.cpp's deepseek2.cpp).
bool is_early_glm(const KeyReader& keys, const Hparams& hp) {
  return !keys.has("expert_gating_func") && (hp.n_layer == 47 || hp.n_layer == 48) &&
         hp.n_vocab == 154880;
}

}  // namespace

// In files that give the amount (a tenth of the model's mscale_all_dim), YaRN's growth of the
// magnitude applies to all of q k instead of the rotated part. Source: DeepSeek's
// modeling_deepseek.py, yarn_get_mscale(); for the key, llama.cpp's pull request 17945.
void scale_latent_scores(Hparams& hp) noexcept {
  RopeHparams& rope = hp.ropes[0];
  float growth = rope.attn_factor;
  if (rope.scaling == RopeScaling::yarn && rope.scale_factor > 1) {
    const float log_factor = 0.1F * std::log(rope.scale_factor);
    const float all_dims = rope.yarn_log_multiplier / 0.1F;
    rope.yarn_magnitude_scale = all_dims == 0 ? 1 : 0;
    growth *= 1 + log_factor * (all_dims == 0 ? 1 : all_dims);
  }
  const auto head_dim = static_cast<float>(hp.latent.head_dim_nope + rope.n_rot);
  hp.attn_scale = growth * growth / std::sqrt(head_dim);
}

const Architecture kDeepSeek2{
    .name = "deepseek2",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          set_nextn_layers_apart(keys, hparams);
          read_latent(keys, hparams);
          scale_latent_scores(hparams);
          read_mixture_after_dense(keys, hparams);
          if (is_early_glm(keys, hparams)) hparams.experts.gating = ExpertGating::sigmoid;
          hparams.attn_temperature_scale = keys.finite_or("attention.temperature_scale", 0);
          hparams.attn_temperature_length =
              keys.count_or("attention.temperature_length", 1 << 28, 8192);
        },
};

}  // namespace confab::engine
