// SPDX-License-Identifier: MIT
// Qwen3-Next (2025): three of four layers are gated delta nets, the fourth is attention under a
// gate; every layer has a mixture of experts and a shared one that the token itself turns up and
// down.
#include "engine/arch/architecture.h"
#include "engine/hparams.h"
#include "engine/key_reader.h"

namespace confab::engine {

const Architecture kQwen3Next{
    .name = "qwen3next",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          hparams.ropes[0].interleaved = false;
          hparams.qk_norm = QkNorm::head;
          hparams.attn_gate = true;
          hparams.ffn_norm_name = "post_attention_norm";
          leave_out_predicting_layers(keys, hparams);
          read_delta_net(keys, hparams);
          read_experts(keys, hparams, DefaultExpertWidth::share_of_layer);
          hparams.experts.normalise_weights = true;
          hparams.experts.n_ff_shared = keys.count_or("expert_shared_feed_forward_length",
                                                      kMaxExpertWidth, hparams.layers[0].n_ff);
          hparams.experts.shared_gate = true;
        },
};

}  // namespace confab::engine
