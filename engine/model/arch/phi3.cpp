// SPDX-License-Identifier: MIT
// Phi-3, Phi-3.5 and Phi-4 (Abdin et al., arXiv:2404.14219): fused projections and, for long
// contexts, frequency divisors chosen by the size of the context (LongRoPE, Ding et al.,
// arXiv:2402.13753). Some files give a sliding window. It was not used when the models were
// published in this format, so it is ignored here, as it is elsewhere.
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kPhi3{
    .name = "phi3",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          refuse_experts(keys);
          hparams.ropes[0].interleaved = false;
          hparams.fused_gate_up = true;
        },
};

}  // namespace confab::engine
