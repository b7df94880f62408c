// SPDX-License-Identifier: MIT
// GLM-4-0414 (Zhipu AI): half of each head is rotated, outputs are normed too, and the gate and up
// matrices of the feed-forward are one. Layers that predict further tokens are left out.
#include "engine/arch/architecture.h"
#include "engine/hparams.h"
#include "engine/key_reader.h"

namespace confab::engine {

const Architecture kGlm4{
    .name = "glm4",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          hparams.post_norms = true;
          hparams.fused_gate_up = true;
          const int n_predict = keys.natural_or("nextn_predict_layers", hparams.n_layer - 1, 0);
          hparams.n_layer -= n_predict;
          hparams.layers.resize(static_cast<std::size_t>(hparams.n_layer));
          if (keys.has("rope.dimension_sections")) {
            keys.refuse("rope.dimension_sections", "there",
                        "none: positions in images are not known here");
          }
        },
};

}  // namespace confab::engine
