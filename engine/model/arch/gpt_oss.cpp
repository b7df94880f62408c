// SPDX-License-Identifier: MIT
// gpt-oss (OpenAI 2025, arXiv:2508.10925): every other layer has a sliding window, attention has
// sinks, everything has biases, and the experts' activation is clamped.
#include "engine/gguf/key_reader.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {

const Architecture kGptOss{
    .name = "gpt-oss",
    .specialise =
        [](const KeyReader& keys, Hparams& hparams) {
          hparams.ropes[0].interleaved = false;
          hparams.has_qkv_bias = true;
          hparams.attn_sinks = true;
          hparams.ffn_norm_name = "post_attention_norm";
          slide_windows(keys, hparams, 2);
          rebase_windows(keys, hparams);
          read_experts(keys, hparams, DefaultExpertWidth::whole_layer);
          hparams.experts.has_biases = true;
          hparams.experts.gating = ExpertGating::softmax_of_chosen;
          hparams.activation = Activation::swiglu_oai;
        },
};

}  // namespace confab::engine
