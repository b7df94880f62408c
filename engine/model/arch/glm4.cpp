// SPDX-License-Identifier: MIT
// GLM-4-0414 (Zhipu AI): half of each head is rotated, outputs are normed too, and the gate and up
// matrices of the feed-forward are one. Layers that predict further tokens are left out.
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kGlm4{
    .name = "glm4",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          hparams.post_norms = true;
          hparams.fused_gate_up = true;
          set_nextn_layers_apart(keys, hparams);
          refuse_image_positions(keys);
        },
};

}  // namespace confab::engine
