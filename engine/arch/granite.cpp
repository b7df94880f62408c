// SPDX-License-Identifier: MIT
// Granite 3 (IBM): Llama's layers under four multipliers, of the embeddings, of what is added to
// the stream, of the attention scores and of the logits.
#include "engine/arch/architecture.h"
#include "engine/hparams.h"
#include "engine/key_reader.h"

namespace confab::engine {

const Architecture kGranite{
    .name = "granite",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          refuse_experts(keys);
          hparams.embedding_scale = keys.positive_or("embedding_scale", 1);
          hparams.residual_scale = keys.positive_or("residual_scale", 1);
          hparams.attn_scale = keys.positive_or("attention.scale", 0);
          hparams.logit_scale = 1 / keys.positive("logit_scale");
          if (!keys.flag_or("rope.scaling.finetuned", true)) {
            for (LayerHparams& layer : hparams.layers) layer.rope = kNoRope;
          }
        },
};

}  // namespace confab::engine
