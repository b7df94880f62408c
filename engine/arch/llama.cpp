// SPDX-License-Identifier: MIT
// Llama and the many models that share its layers (Touvron et al. 2023): the common decoder, with
// rotary pairs of neighbours and biases where the file has them.
#include "engine/arch/architecture.h"
#include "engine/key_reader.h"

namespace confab::engine {

const Architecture kLlama{
    .name = "llama",
    .specialise = [](const KeyReader& keys, Hparams&) { refuse_experts(keys); },
};

}  // namespace confab::engine
