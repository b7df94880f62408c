// SPDX-License-Identifier: MIT
// Llama and the many models that share its layers (Touvron et al. 2023): the common decoder, with
// rotary pairs of neighbours and biases where the file has them.
#include "engine/arch/architecture.h"
#include "engine/hparams.h"

namespace confab::engine {

const Architecture kLlama{
    .name = "llama",
    .specialise =
        [](const Gguf& gguf, Hparams& hparams) {
          refuse_experts(gguf, hparams);
          hparams.rope_interleaved = true;
        },
};

}  // namespace confab::engine
