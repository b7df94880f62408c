// SPDX-License-Identifier: MIT
// Command R and R+ (Cohere): attention and feed-forward side by side, under one LayerNorm without
// bias; the models of 64 layers and more also norm queries and keys, each head by its own weights.
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
