// SPDX-License-Identifier: MIT
// StarCoder2 (Lozhkov et al. 2024, arXiv:2402.19173): LayerNorm and all projections with biases, a
// feed-forward without a gate, and a window in every layer. Files do not give the window's size. It
// is the same in all published models (their config.json: sliding_window).
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kStarCoder2{
    .name = "starcoder2",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          constexpr int kMaxWindow = 1 << 28, kWindow = 4096;
          refuse_experts(keys);
          hparams.ropes[0].interleaved = false;
          hparams.norm = NormKind::layer;
          hparams.has_norm_bias = true;
          hparams.has_qkv_bias = true;
          hparams.activation = Activation::gelu;
          hparams.has_ffn_gate = false;
          const int window = keys.natural_or("attention.sliding_window", kMaxWindow, kWindow);
          for (LayerHparams& layer : hparams.layers) layer.window = window;
        },
};

}  // namespace confab::engine
