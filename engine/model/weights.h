// SPDX-License-Identifier: MIT
// The tensors of a decoder-only transformer, by their GGUF names. They borrow from the Gguf.
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

// A matrix [n_rows, n_cols], with the scale and bias of its products. n_rows == 0: the model does
// not have this matrix.
struct Matrix {
  kernels::WeightRows rows{};
  std::int64_t n_rows = 0;
  float scale = 1;
  const float* bias = nullptr;  // [n_rows] or nullptr
  // Set only for a lookup table that no product reads. Each token's row is then read from this
  // file, so the table takes no memory. nullptr: mapped like all other matrices.
  const MappedFile* file = nullptr;

  std::uint64_t n_bytes() const noexcept {  // weights and their scales
    if (n_rows == 0) return 0;
    return kernels::row_bytes(rows.dtype, rows.n_cols) * static_cast<std::uint64_t>(n_rows) +
           rows.side.n_bytes(n_rows, rows.n_cols);
  }
  // Copies some of the rows' bytes from `file`, which must be set.
  void read(std::span<const std::byte> bytes, std::byte* to) const noexcept;
};

// The weights of a norm over n values.
struct Norm {
  const float* weight = nullptr;  // [n]; nullptr: there is no norm
  const float* bias = nullptr;    // [n] or nullptr
};

// A mixture of experts. The matrices of one kind have the same type in all experts.
struct ExpertWeights {
  Matrix router;                          // [n_expert, n_embd]
  const float* selection_bias = nullptr;  // [n_expert], or nullptr
  std::vector<Matrix> gate;               // [n_expert] of [n_ff, n_embd]
  std::vector<Matrix> up;                 // [n_expert] of [n_ff, n_embd]
  std::vector<Matrix> down;               // [n_expert] of [n_embd, n_ff]
  Matrix shared_router;                   // [1, n_embd]: gate of the shared experts' output
  Matrix shared_gate;                     // [n_ff_shared, n_embd]
  Matrix shared_up;                       // [n_ff_shared, n_embd]
  Matrix shared_down;                     // [n_embd, n_ff_shared]
  // Used if a dense feed-forward runs beside the experts. n_embd values each: the norms of the
  // router's input, the experts' input, the experts' output and the dense feed-forward's output.
  Norm router_norm;
  Norm norm;
  Norm post_norm;
  Norm plain_post_norm;
};

// The norm of queries or keys before they are rotated.
struct HeadNorm {
  const float* weight = nullptr;  // [head_dim_k], or for a row [n_heads * head_dim_k]
  std::int64_t stride = 0;        // from one head's weights to the next; 0: all heads share them
};

// The matrices of latent attention (hparams.h) besides attn_q, which is [n_head * (head_dim_nope +
// n_rot), q_rank or n_embd], and attn_output, [n_embd, n_head * latent.head_dim_v].
struct LatentWeights {
  Matrix q_a;                        // [q_rank, n_embd]
  const float* q_a_norm = nullptr;   // [q_rank]
  Matrix kv_a;                       // [kv_rank + n_rot, n_embd]
  const float* kv_a_norm = nullptr;  // [kv_rank]
  std::vector<Matrix> k_b;           // per head [kv_rank, head_dim_nope],
  bool k_b_transposed = false;       // or, from older files, [head_dim_nope, kv_rank]
  std::vector<Matrix> v_b;           // per head [head_dim_v, kv_rank]
};

// A layer that is a delta net. n_inner = n_v_heads * d_state. Some files fuse qkv with z, and beta
// with alpha; then the second of each pair is empty. The fused rows of qkv and z are grouped by key
// head (q, k, v, z). The fused rows of beta and alpha are grouped by key head too, over the value
// heads that share it.
struct DeltaNetWeights {
  Matrix qkv;    // [n_channels, n_embd]: q, k, v; fused: [n_channels + n_inner, n_embd]
  Matrix z;      // [n_inner, n_embd]
  Matrix beta;   // [n_v_heads, n_embd]; fused: [2 * n_v_heads, n_embd]
  Matrix alpha;  // [n_v_heads, n_embd]
  Matrix out;    // [n_embd, n_inner]
  const float* conv = nullptr;  // [n_channels, d_conv], oldest token first
  const float* dt = nullptr;    // [n_v_heads]
  const float* a = nullptr;     // [n_v_heads], negative
  const float* norm = nullptr;  // [d_state]
};

// Weights that a model lacks are nullptr or empty matrices. Fused matrices of the file are split.
struct LayerWeights {
  Norm attn_norm;  // n_embd values, like all norms here without a comment
  LatentWeights latent;
  Matrix attn_q;         // [n_head * head_dim_k, n_embd]; latent attention: see LatentWeights
  Matrix attn_k;         // [n_head_kv * head_dim_k, n_embd]
  Matrix attn_v;         // [n_head_kv * head_dim_v, n_embd]
  HeadNorm attn_q_norm;  // n_head heads, or the row
  HeadNorm attn_k_norm;  // n_head_kv heads, or the row
  const float* attn_sinks = nullptr;  // [n_head]
  DeltaNetWeights delta_net;
  Matrix attn_output;  // [n_embd, n_head * head_dim_v]
  Norm attn_post_norm;
  Norm ffn_norm;
  Matrix ffn_gate;        // [n_ff, n_embd], if there is a gate
  Matrix ffn_up;          // [n_ff, n_embd]
  Matrix ffn_down;        // [n_embd, n_ff]
  ExpertWeights experts;  // used instead of the three above
  Norm ffn_post_norm;
  Matrix per_layer_gate;  // [n_embd_per_layer, n_embd]
  Matrix per_layer_proj;  // [n_embd, n_embd_per_layer]
  Norm per_layer_post_norm;
  const float* output_scale = nullptr;  // [1]; the stream is multiplied by it
};

// The head that predicts the token after the next, without the tensors of its block.
struct NextnWeights {
  Matrix embed_tokens;  // [n_vocab, n_embd]; token_embd if the file has no separate one
  Norm enorm;           // norm of the token's embedding
  Norm hnorm;      // norm of the hidden state that the model or head left at the previous token
  Matrix eh_proj;  // [n_embd, 2 * n_embd]: combines both into the input of the block
  Norm shared_head_norm;
  Matrix shared_head_head;  // [n_vocab, n_embd]; output if the file has no separate one
};

struct Weights {
  Matrix token_embd;                 // [n_vocab, n_embd]
  std::vector<LayerWeights> layers;  // parallel to Hparams::layers
  NextnWeights nextn;                // set if Hparams::has_nextn_head()
  Norm output_norm;                  // n_embd values
  Matrix output;                     // [n_vocab, n_embd]; token_embd when tied
  // The input that each token gives directly to each layer (engine/cpu/forward.cpp).
  Matrix per_layer_token_embd;                 // [n_vocab, n_layer * n_embd_per_layer]
  Matrix per_layer_model_proj;                 // [n_layer * n_embd_per_layer, n_embd]
  const float* per_layer_proj_norm = nullptr;  // [n_embd_per_layer]
  // Divisors of the rotary frequencies, [n_rot / 2]: one set for all contexts, or one for contexts
  // up to the original length and one for longer contexts (rope.h).
  const float* rope_freqs = nullptr;
  const float* rope_factors_short = nullptr;
  const float* rope_factors_long = nullptr;

  std::uint64_t n_bytes = 0;  // of all tensors in use

  // Throws ModelError if a tensor is missing or has an unexpected shape or type. Also throws if the
  // file has a tensor that nothing here uses (tensor_reader.h), because the answers would be wrong.
  static Weights load(const Gguf& gguf, const Hparams& hparams);
};

// The two functions below find the tensors of one part of layer il in a model file. They throw
// ModelError if a tensor is missing or has an unexpected shape or type.

// Loads the members of LatentWeights and the matrix of the queries (attn_q_b, or attn_q if queries
// have no latent). New files store the expansion of the latent as two stacks of matrices, one per
// head (attn_k_b, attn_v_b); older files as one matrix (attn_kv_b).
void load_latent(const TensorReader& tensors, const Hparams& hparams, int il, LayerWeights& w);
// Files store experts in one of four ways: three tensors for all experts (ffn_gate_exps,
// ffn_up_exps, ffn_down_exps); gate and up fused in ffn_gate_up_exps, the rows of an expert's gate
// before those of its up; gate and up fused row by row (kGateUpPairs); or, in files of the first
// Mixtral, separate tensors per expert (ffn_gate.0, ffn_gate.1, ...).
ExpertWeights load_experts(const TensorReader& tensors, const Hparams& hparams, int il);

}  // namespace confab::engine
