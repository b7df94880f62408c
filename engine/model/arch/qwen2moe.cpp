// SPDX-License-Identifier: MIT
// Qwen1.5-MoE and Qwen2-57B-A14B (Yang et al. 2024, arXiv:2407.10671): Qwen2 with a mixture of
// experts in each layer, and a shared expert whose output is gated per token.
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kQwen2Moe{
    .name = "qwen2moe",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          hparams.ropes[0].interleaved = false;
          hparams.has_qkv_bias = true;
          read_experts(keys, hparams, DefaultExpertWidth::share_of_layer);
          read_gated_shared_expert(keys, hparams);
        },
};

}  // namespace confab::engine
