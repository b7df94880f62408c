// SPDX-License-Identifier: MIT
// Gemma 2 (arXiv:2408.00118): scaled embeddings, norms before and after each part, soft-capped
// scores and logits, and a window in every other layer.
#include <cmath>

#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kGemma2{
    .name = "gemma2",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          constexpr int kLayersOf27b = 46, kWindow = 4096;
          hparams.ropes[0].interleaved = false;
          hparams.activation = Activation::gelu;
          hparams.post_norms = true;
          hparams.embedding_scale = std::sqrt(static_cast<float>(hparams.n_embd));
          hparams.attn_softcap = keys.positive_or("attn_logit_softcapping", 50);
          hparams.logit_softcap = keys.positive_or("final_logit_softcapping", 30);
          if (hparams.n_layer == kLayersOf27b) hparams.attn_scale = score_scale_by_width(hparams);
          slide_windows(keys, hparams, 2, kWindow);
          rebase_windows(keys, hparams);
        },
};

}  // namespace confab::engine
