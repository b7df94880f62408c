// SPDX-License-Identifier: MIT
// Command R7B and Command A (Cohere, arXiv:2504.00698). Attention and feed-forward run side by side
// under one LayerNorm without bias. Three of four layers have a sliding window and rotate; the
// fourth sees the whole context and does not rotate.
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kCohere2{
    .name = "cohere2",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          hparams.norm = NormKind::layer;
          hparams.parallel = true;
          hparams.logit_scale = keys.positive("logit_scale");
          slide_windows(keys, hparams, 4);
          const std::vector<bool> slides = keys.window_pattern(hparams.n_layer, 4);
          for (std::size_t il = 0; il < slides.size(); ++il) {
            if (!slides[il]) hparams.layers[il].rope = kNoRope;
          }
        },
};

}  // namespace confab::engine
