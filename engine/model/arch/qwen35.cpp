// SPDX-License-Identifier: MIT
// Qwen3.5 (2026): three of four layers are gated delta nets. The fourth is attention with a gate,
// which rotates a part of each head. Layers that predict further tokens are left out.
#include "engine/gguf/key_reader.h"
#include "engine/gguf/row_order.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kQwen35{
    .name = "qwen35",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          read_qwen_hybrid(keys, hparams);
          hparams.delta_net.tiled = keys.flag_or(kTiledKey, true);
        },
};

}  // namespace confab::engine
