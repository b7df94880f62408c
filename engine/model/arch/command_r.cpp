// SPDX-License-Identifier: MIT
// Command R and R+ (Cohere). Attention and feed-forward run side by side under one LayerNorm
// without bias. Models with 64 layers or more also norm queries and keys, with separate weights for
// each head.
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kCommandR{
    .name = "command-r",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          constexpr int kLayersOfPlus = 64;
          hparams.norm = NormKind::layer;
          hparams.parallel = true;
          hparams.logit_scale = keys.positive_or("logit_scale", 1);
          if (hparams.n_layer >= kLayersOfPlus) hparams.qk_norm = QkNorm::head;
        },
};

}  // namespace confab::engine
