// SPDX-License-Identifier: MIT
// Granite 3 (IBM): Llama's layers with four multipliers, for the embeddings, for what is added to
// the stream, for the attention scores and for the logits. granitemoe also has experts.
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

void read_multipliers(const KeyReader& keys, Hparams& hparams) {
  hparams.embedding_scale = keys.positive_or("embedding_scale", 1);
  hparams.residual_scale = keys.positive_or("residual_scale", 1);
  hparams.attn_scale = keys.positive_or("attention.scale", 0);
  hparams.logit_scale = 1 / keys.positive("logit_scale");
}

}  // namespace

const Architecture kGranite{
    .name = "granite",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          refuse_experts(keys);
          read_multipliers(keys, hparams);
          if (!keys.flag_or("rope.scaling.finetuned", true)) {
            for (LayerHparams& layer : hparams.layers) layer.rope = kNoRope;
          }
        },
};

const Architecture kGraniteMoe{
    .name = "granitemoe",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          read_multipliers(keys, hparams);
          read_experts(keys, hparams, DefaultExpertWidth::whole_layer);
          hparams.experts.normalise_weights = true;
          hparams.experts.n_ff_shared =
              keys.natural_or("expert_shared_feed_forward_length", kMaxExpertWidth, 0);
        },
};

}  // namespace confab::engine
