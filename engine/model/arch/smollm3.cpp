// SPDX-License-Identifier: MIT
// SmolLM3: Llama's layers, every fourth of them without rotation (NoPE, Yang et al.,
// arXiv:2501.18795).
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kSmolLm3{
    .name = "smollm3",
    .specialise =
        [](const KeyReader&, Hparams& hparams) {
          constexpr int kPeriod = 4;
          for (int il = kPeriod - 1; il < hparams.n_layer; il += kPeriod) {
            hparams.layers[static_cast<std::size_t>(il)].rope = kNoRope;
          }
        },
};

}  // namespace confab::engine
