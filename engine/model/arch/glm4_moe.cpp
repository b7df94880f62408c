// SPDX-License-Identifier: MIT
// GLM-4.5, 4.6 and their Air variants (2025, arXiv:2508.06471): mixtures with shared experts after
// some dense layers. A part of each head is rotated, and the larger models norm queries and keys.
// The norm before the feed-forward has the name of a norm after attention.
#include "engine/gguf/gguf.h"
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kGlm4Moe{
    .name = "glm4moe",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          hparams.ropes[0].interleaved = false;
          hparams.ffn_norm_name = "post_attention_norm";
          if (keys.gguf().find_tensor("blk.0.attn_q_norm.weight") != nullptr)
            hparams.qk_norm = QkNorm::head;
          set_nextn_layers_apart(keys, hparams);
          refuse_image_positions(keys);
          read_mixture_after_dense(keys, hparams);
          const bool says_gating = keys.natural_or("expert_gating_func", 1 << 16, 0) != 0;
          if (!says_gating) hparams.experts.gating = ExpertGating::sigmoid;
        },
};

}  // namespace confab::engine
