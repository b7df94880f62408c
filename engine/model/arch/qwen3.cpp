// SPDX-License-Identifier: MIT
// Qwen3 (Yang et al. 2025, arXiv:2505.09388): queries and keys are normed per head.
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kQwen3{
    .name = "qwen3",
    .specialise =
        [](const KeyReader&, Hparams& hparams) {
          hparams.ropes[0].interleaved = false;
          hparams.qk_norm = QkNorm::head;
        },
};

}  // namespace confab::engine
