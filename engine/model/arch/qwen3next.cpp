// SPDX-License-Identifier: MIT
// Qwen3-Next (2025): three of four layers are gated delta nets, and the fourth is attention with a
// gate. Every layer has a mixture of experts and a shared expert whose output is gated per token.
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kQwen3Next{
    .name = "qwen3next",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          read_qwen_hybrid(keys, hparams);
          read_qwen_hybrid_experts(keys, hparams);
        },
};

}  // namespace confab::engine
