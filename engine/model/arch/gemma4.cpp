// SPDX-License-Identifier: MIT
// Gemma 4 (Google, 2026; text): like Gemma 3, but values are normed too, scores are not scaled,
// heads have another size in layers that see the whole context, late layers use the keys and values
// of earlier ones, and each token has an input to each layer (from Gemma 3n).
#include <algorithm>
#include <cmath>
#include <string>

#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

constexpr int kMaxHeadDim = 1 << 12;
constexpr int kMaxPerLayer = 1 << 16;

// Layers with a window have separate head sizes and a separate rotation. The frequency divisors
// belong to the other layers.
void shape_local_layers(const KeyReader& keys, Hparams& hp) {
  const LayerHparams& global = hp.layers[0];
  const int dim_k = keys.count_or("attention.key_length_swa", kMaxHeadDim, global.head_dim_k);
  const int dim_v = keys.count_or("attention.value_length_swa", kMaxHeadDim, global.head_dim_v);
  const int n_rot = std::min(hp.ropes[0].n_rot, dim_k);
  rotate_windows(hp, {.n_rot = keys.count_or("rope.dimension_count_swa", dim_k, n_rot),
                      .interleaved = false,
                      .freq_factors = false,
                      .freq_base = keys.positive_or("rope.freq_base_swa", 10000),
                      .attn_factor = hp.ropes[0].attn_factor});
  if (hp.ropes[1].n_rot % 2 != 0) {
    keys.refuse("rope.dimension_count_swa", std::to_string(hp.ropes[1].n_rot), "an even number");
  }
  for (LayerHparams& layer : hp.layers) {
    if (layer.window == 0) continue;
    layer.head_dim_k = dim_k;
    layer.head_dim_v = dim_v;
  }
}

// The last n_shared layers use the keys and values of the last earlier layer of the same kind.
void share_keys_and_values(const KeyReader& keys, Hparams& hp) {
  const int n_shared = keys.natural_or("attention.shared_kv_layers", hp.n_layer - 1, 0);
  const int n_own = hp.n_layer - n_shared;
  for (int il = n_own; il < hp.n_layer; ++il) {
    LayerHparams& layer = hp.layers[static_cast<std::size_t>(il)];
    int source = n_own - 1;
    const auto at = [&](int i) { return hp.layers[static_cast<std::size_t>(i)]; };
    while (source >= 0 && (at(source).window > 0) != (layer.window > 0)) --source;
    if (source < 0 || at(source).n_head_kv != layer.n_head_kv) {
      keys.refuse("attention.shared_kv_layers", std::to_string(n_shared),
                  "an earlier layer of the same kind to share");
    }
    layer.kv_layer = source;
  }
}

}  // namespace

const Architecture kGemma4{
    .name = "gemma4",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          hparams.ropes[0].interleaved = false;
          hparams.activation = Activation::gelu;
          hparams.qk_norm = QkNorm::head;
          hparams.v_norm = true;
          hparams.keys_may_be_values = true;
          hparams.post_norms = true;
          hparams.attn_scale = 1;
          hparams.embedding_scale = std::sqrt(static_cast<float>(hparams.n_embd));
          hparams.logit_softcap = keys.positive_or("final_logit_softcapping", 0);
          hparams.n_embd_per_layer =
              keys.natural_or("embedding_length_per_layer_input", kMaxPerLayer, 0);
          slide_windows(keys, hparams, 6);
          shape_local_layers(keys, hparams);
          share_keys_and_values(keys, hparams);
          if (!has_experts(keys)) return;
          read_experts(keys, hparams, DefaultExpertWidth::whole_layer);
          hparams.experts.normalise_weights = true;
          hparams.experts.beside_plain = true;
        },
};

}  // namespace confab::engine
