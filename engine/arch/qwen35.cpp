// SPDX-License-Identifier: MIT
// Qwen3.5 (2026): three of four layers are gated delta nets, the fourth is attention under a gate,
// which rotates a part of each head. Layers that predict further tokens are left out.
#include "engine/arch/architecture.h"
#include "engine/hparams.h"
#include "engine/key_reader.h"

namespace confab::engine {

const Architecture kQwen35{
    .name = "qwen35",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          hparams.ropes[0].interleaved = false;
          hparams.qk_norm = QkNorm::head;
          hparams.attn_gate = true;
          hparams.ffn_norm_name = "post_attention_norm";
          leave_out_predicting_layers(keys, hparams);
          read_delta_net(keys, hparams);
          hparams.delta_net.tiled = true;
        },
};

}  // namespace confab::engine
