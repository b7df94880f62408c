// SPDX-License-Identifier: MIT
// The tensors of a decoder-only transformer, by their GGUF names; borrowed from the Gguf.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kernel_table.h"

namespace confab::engine {

class Gguf;
struct Hparams;

// A matrix [n_rows, n_cols] and its optional bias; n_rows == 0: the model has none.
struct Matrix {
  kernels::WeightRows rows{};
  std::int64_t n_rows = 0;
  const float* bias = nullptr;  // [n_rows] or nullptr
};

struct LayerWeights {
  const float* attn_norm = nullptr;  // [n_embd]
  Matrix attn_q;                     // [n_head * head_dim_k, n_embd]
  Matrix attn_k;                     // [n_head_kv * head_dim_k, n_embd]
  Matrix attn_v;                     // [n_head_kv * head_dim_v, n_embd]
  Matrix attn_output;                // [n_embd, n_head * head_dim_v]
  const float* ffn_norm = nullptr;   // [n_embd]
  Matrix ffn_gate;                   // [n_ff, n_embd]
  Matrix ffn_up;                     // [n_ff, n_embd]
  Matrix ffn_down;                   // [n_embd, n_ff]
};

struct Weights {
  Matrix token_embd;  // [n_vocab, n_embd]
  std::vector<LayerWeights> layers;
  const float* output_norm = nullptr;  // [n_embd]
  Matrix output;                       // [n_vocab, n_embd]; token_embd when tied
  const float* rope_freqs = nullptr;   // [n_rot / 2] divisors of the frequencies, or nullptr

  // Throws ModelError when a tensor is missing, or has another shape or type than expected.
  static Weights load(const Gguf& gguf, const Hparams& hparams);
};

}  // namespace confab::engine
