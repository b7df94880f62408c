// SPDX-License-Identifier: MIT
// Qwen3.5 mixtures of experts (2026), for example 35B-A3B: Qwen3.5 with the feed-forward of
// Qwen3-Next. Layers that predict further tokens are left out.
#include "engine/gguf/key_reader.h"
#include "engine/gguf/row_order.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kQwen35Moe{
    .name = "qwen35moe",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          read_qwen_hybrid(keys, hparams);
          hparams.delta_net.tiled = keys.flag_or(kTiledKey, true);
          read_qwen_hybrid_experts(keys, hparams);
        },
};

}  // namespace confab::engine
