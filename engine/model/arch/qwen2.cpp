// SPDX-License-Identifier: MIT
// Qwen2 and Qwen2.5 (Yang et al. 2024): the common decoder with biases on q, k and v, and rotated
// pairs half a head apart.
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kQwen2{
    .name = "qwen2",
    .specialise =
        [](const KeyReader&, Hparams& hparams) {
          hparams.ropes[0].interleaved = false;
          hparams.has_qkv_bias = true;
        },
};

}  // namespace confab::engine
