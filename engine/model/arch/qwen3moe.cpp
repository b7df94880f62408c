// SPDX-License-Identifier: MIT
// Qwen3's mixtures of experts (Yang et al. 2025, arXiv:2505.09388): Qwen3 whose chosen experts'
// weights are normalised to a sum of 1.
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kQwen3Moe{
    .name = "qwen3moe",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          hparams.ropes[0].interleaved = false;
          hparams.qk_norm = QkNorm::head;
          read_experts(keys, hparams, DefaultExpertWidth::share_of_layer);
          hparams.experts.normalise_weights = true;
        },
};

}  // namespace confab::engine
