// SPDX-License-Identifier: MIT
// Gemma 3 (arXiv:2503.19786): like Gemma 2, but queries and keys are normed instead of capping the
// scores. Five of six layers have a sliding window and a separate rotation; the sixth sees the
// whole context.
#include <cmath>

#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kGemma3{
    .name = "gemma3",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          constexpr int kLayersOf27b = 62;
          hparams.ropes[0].interleaved = false;
          hparams.activation = Activation::gelu;
          hparams.qk_norm = QkNorm::head;
          hparams.post_norms = true;
          hparams.embedding_scale = std::sqrt(static_cast<float>(hparams.n_embd));
          hparams.logit_softcap = keys.positive_or("final_logit_softcapping", 0);
          if (hparams.n_layer == kLayersOf27b) hparams.attn_scale = score_scale_by_width(hparams);
          slide_windows(keys, hparams, 6);
          rotate_windows(hparams, {.n_rot = hparams.ropes[0].n_rot,
                                   .interleaved = false,
                                   .freq_base = keys.positive_or("rope.freq_base_swa", 10000),
                                   .attn_factor = hparams.ropes[0].attn_factor});
        },
};

}  // namespace confab::engine
