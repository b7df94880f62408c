// SPDX-License-Identifier: MIT
// Llama and the many models that share its layers (Touvron et al. 2023): the common decoder, with
// rotated pairs side by side, and biases if the file has them. Mixtral (Jiang et al. 2024,
// arXiv:2401.04088) uses the same name and has experts.
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kLlama{
    .name = "llama",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          if (!has_experts(keys)) return;
          read_experts(keys, hparams, DefaultExpertWidth::whole_layer);
          hparams.experts.normalise_weights = true;
        },
};

}  // namespace confab::engine
