// SPDX-License-Identifier: MIT
// OLMo 2 (arXiv:2501.00656) and OLMo 3: the outputs of attention and feed-forward are normed, not
// their inputs, and queries and keys are normed as whole rows. In OLMo 3 three of four layers have
// a sliding window and rotate without scaling.
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kOlmo2{
    .name = "olmo2",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          hparams.ropes[0].interleaved = false;
          hparams.qk_norm = QkNorm::row;
          hparams.pre_norms = false;
          hparams.post_norms = true;
          slide_windows(keys, hparams, 4);
          RopeHparams unscaled = hparams.ropes[0];
          unscaled.scaling = RopeScaling::none;
          unscaled.scale_factor = 1;
          unscaled.attn_factor = 1;
          rotate_windows(hparams, unscaled);
        },
};

}  // namespace confab::engine
