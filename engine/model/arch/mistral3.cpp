// SPDX-License-Identifier: MIT
// Mistral Small 3 and Ministral 3: Llama's layers, with queries that grow with the logarithm of
// their position (attention temperature tuning, as in Llama 4).
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kMistral3{
    .name = "mistral3",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          refuse_experts(keys);
          hparams.attn_temperature_scale = keys.finite_or("attention.temperature_scale", 0);
          hparams.attn_temperature_length = hparams.ropes[0].n_ctx_orig;
        },
};

}  // namespace confab::engine
