// SPDX-License-Identifier: MIT
// The tensors of a decoder-only transformer, by their GGUF names; borrowed from the Gguf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernel_table.h"

namespace confab::engine {

class Gguf;
class MappedFile;
class TensorReader;
struct Hparams;

// A matrix [n_rows, n_cols], and what its products are multiplied by and added to; n_rows == 0: the
// model has none.
struct Matrix {
  kernels::WeightRows rows{};
  std::int64_t n_rows = 0;
  float scale = 1;
  const float* bias = nullptr;  // [n_rows] or nullptr
  // Set only for a lookup table that no product reads: each token's row is then read from this
  // file, so the table takes no memory. nullptr: mapped like all other matrices.
  const MappedFile* file = nullptr;

  std::uint64_t n_bytes() const noexcept {  // of weights and their scales
    if (n_rows == 0) return 0;
    return kernels::row_bytes(rows.dtype, rows.n_cols) * static_cast<std::uint64_t>(n_rows) +
           rows.side.n_bytes(n_rows, rows.n_cols);
  }
  // Copies some of the rows' bytes from the file, where there is one.
  void read(std::span<const std::byte> bytes, std::byte* to) const noexcept;
};

// The weights of a norm over n values.
struct Norm {
  const float* weight = nullptr;  // [n]; nullptr: there is no norm
  const float* bias = nullptr;    // [n] or nullptr
};

// A mixture of experts. The experts' matrices of one kind have the same type.
struct ExpertWeights {
  Matrix router;                          // [n_expert, n_embd]
  const float* selection_bias = nullptr;  // [n_expert], or nullptr
  std::vector<Matrix> gate;               // [n_expert] of [n_ff, n_embd]
  std::vector<Matrix> up;                 // [n_expert] of [n_ff, n_embd]
  std::vector<Matrix> down;               // [n_expert] of [n_embd, n_ff]
  Matrix shared_router;                   // [1, n_embd]: how far the shared ones are turned up
  Matrix shared_gate;                     // [n_ff_shared, n_embd]
  Matrix shared_up;                       // [n_ff_shared, n_embd]
  Matrix shared_down;                     // [n_embd, n_ff_shared]
  // With a plain feed-forward beside them, of n_embd values each: the norms of what the router and
  // the experts read, of what the experts and of what the plain feed-forward give.
  Norm router_norm;
  Norm norm;
  Norm post_norm;
  Norm plain_post_norm;
};

// The norm of queries or keys before they are rotated.
struct HeadNorm {
  const float* weight = nullptr;  // [head_dim_k] of one head, or [n_heads * head_dim_k] of the row
  std::int64_t stride = 0;        // from one head's weights to the next one's; 0: they share them
};

// The matrices of latent attention (hparams.h) besides attn_q, which is [n_head * (head_dim_nope +
// n_rot), q_rank or n_embd], and attn_output, [n_embd, n_head * latent.head_dim_v].
struct LatentWeights {
  Matrix q_a;                        // [q_rank, n_embd]
  const float* q_a_norm = nullptr;   // [q_rank]
  Matrix kv_a;                       // [kv_rank + n_rot, n_embd]
  const float* kv_a_norm = nullptr;  // [kv_rank]
  std::vector<Matrix> k_b;           // of each head [kv_rank, head_dim_nope],
  bool k_b_transposed = false;       // or, from older files, [head_dim_nope, kv_rank]
  std::vector<Matrix> v_b;           // of each head [head_dim_v, kv_rank]
};

// Of a layer that is a delta net. n_inner = n_v_heads * d_state.
struct DeltaNetWeights {
  Matrix qkv;    // [n_channels, n_embd]: keys' heads of q, of k, values' heads of v; or z's, too,
  Matrix z;      // [n_inner, n_embd]; those of a key head together (q, k, v, z); then z is empty
  Matrix beta;   // [n_v_heads, n_embd]; or both, [2 * n_v_heads, n_embd], those of the value heads
  Matrix alpha;  // that share a key head together; then alpha is empty
  Matrix out;    // [n_embd, n_inner]
  const float* conv = nullptr;  // [n_channels, d_conv], the oldest token first
  const float* dt = nullptr;    // [n_v_heads]
  const float* a = nullptr;     // [n_v_heads], below 0
  const float* norm = nullptr;  // [d_state]
};

// What a model has none of is nullptr or an empty matrix. Fused matrices of the file are taken
// apart.
struct LayerWeights {
  Norm attn_norm;  // of n_embd values, as the others without a comment
  LatentWeights latent;
  Matrix attn_q;                      // [n_head * head_dim_k, n_embd], or of latents
  Matrix attn_k;                      // [n_head_kv * head_dim_k, n_embd]
  Matrix attn_v;                      // [n_head_kv * head_dim_v, n_embd]
  HeadNorm attn_q_norm;               // of n_head heads, or of the row
  HeadNorm attn_k_norm;               // of n_head_kv heads, or of the row
  const float* attn_sinks = nullptr;  // [n_head]
  DeltaNetWeights delta_net;
  Matrix attn_output;  // [n_embd, n_head * head_dim_v]
  Norm attn_post_norm;
  Norm ffn_norm;
  Matrix ffn_gate;        // [n_ff, n_embd], where there is a gate
  Matrix ffn_up;          // [n_ff, n_embd]
  Matrix ffn_down;        // [n_embd, n_ff]
  ExpertWeights experts;  // instead of the three above
  Norm ffn_post_norm;
  Matrix per_layer_gate;  // [n_embd_per_layer, n_embd]
  Matrix per_layer_proj;  // [n_embd, n_embd_per_layer]
  Norm per_layer_post_norm;
  const float* output_scale = nullptr;  // [1], by which the stream is multiplied
};

// Of the head that guesses the token after the next, besides those of its block.
struct NextnWeights {
  Matrix embed_tokens;  // [n_vocab, n_embd]; token_embd where it has none of its own, and so on
  Norm enorm;           // of the token's embedding
  Norm hnorm;           // of what the model, or the head before, has made of all tokens before it
  Matrix eh_proj;       // [n_embd, 2 * n_embd], of both: the input of its block
  Norm shared_head_norm;
  Matrix shared_head_head;  // [n_vocab, n_embd]
};

struct Weights {
  Matrix token_embd;                 // [n_vocab, n_embd]
  std::vector<LayerWeights> layers;  // of Hparams::layers
  NextnWeights nextn;                // where Hparams::has_nextn_head()
  Norm output_norm;                  // of n_embd values
  Matrix output;                     // [n_vocab, n_embd]; token_embd when tied
  // What each token gives to each layer (per_layer_input_regions.cpp).
  Matrix per_layer_token_embd;                 // [n_vocab, n_layer * n_embd_per_layer]
  Matrix per_layer_model_proj;                 // [n_layer * n_embd_per_layer, n_embd]
  const float* per_layer_proj_norm = nullptr;  // [n_embd_per_layer]
  // Divisors of the rotary frequencies, [n_rot / 2]: for all contexts, or one set for those up to
  // the original length and one for longer ones (rope.h).
  const float* rope_freqs = nullptr;
  const float* rope_factors_short = nullptr;
  const float* rope_factors_long = nullptr;

  std::uint64_t n_bytes = 0;  // of all tensors that are used

  // Throws ModelError when a tensor is missing, or has another shape or type than expected; and
  // when the file has one that nothing here uses (tensor_reader.h): its answers would be wrong.
  static Weights load(const Gguf& gguf, const Hparams& hparams);
};

// The two that follow find the tensors of a part of layer il in a model file. They throw ModelError
// when a tensor is missing, or has another shape or type than expected.

// Loads what LatentWeights names, and the queries' matrix (attn_q_b, or attn_q where queries have
// no latent). New files have the expansion of a latent as two stacks of matrices, one a head
// (attn_k_b, attn_v_b); older ones as one matrix (attn_kv_b).
void load_latent(const TensorReader& tensors, const Hparams& hparams, int il, LayerWeights& w);
// Experts lie in the file as three tensors for all (ffn_gate_exps, ffn_up_exps, ffn_down_exps),
// with gate and up in one (ffn_gate_up_exps: the rows of an expert's gate, then those of its up; or
// row by row, kGateUpPairs), or, in files of the first Mixtral, as tensors of their own
// (ffn_gate.0, ffn_gate.1, ...).
ExpertWeights load_experts(const TensorReader& tensors, const Hparams& hparams, int il);

}  // namespace confab::engine
