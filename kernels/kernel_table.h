// SPDX-License-Identifier: MIT
// The arithmetic that one instruction set provides to everything above.
//
// All functions are pure, allocate nothing, throw nothing and run on the calling thread. The
// forward pass splits rows, heads and tokens over the team and calls them on slices. Pointers may
// have any alignment. Every table gives the results of the scalar one up to rounding. Within a
// table, a value never depends on how the work was cut: y[t][r] of matmul() has the same bits for
// any n_tokens and any slice of rows, and attention() for any split of the queries. So results
// depend neither on the thread count nor on the size of prefill chunks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/side_scales.h"

namespace confab::kernels {

// x86-64: avx2 (with FMA and F16C), avx_vnni (avx2 plus AVX-VNNI), avx512 (with VNNI). Every 64-bit
// Arm processor has neon. Its variants add the byte dot products of Armv8.2 (every Mac), and the
// byte matrix products and bf16 of Armv8.6 (Macs from M2 on).
enum class Isa { scalar, avx2, avx_vnni, avx512, avx512_bf16, neon, neon_dotprod, neon_i8mm };

// How activations are stored for a matmul. q8: blocks of 32 int8 with an f32 scale and their sum
// (kernels/block.h), for all quantised weights. bf16: rounded to nearest, for BF16 weights; an odd
// number of values is followed by a zero. f32: for F32 and F16 weights, whose 24 and 11 significand
// bits bf16 would cut to 8, for weights with side scales, and for the exact path.
enum class ActFormat { f32, q8, bf16 };

// A matrix of weights as stored in the file: rows of n_cols weights, row_bytes apart.
struct WeightRows {
  Dtype dtype;
  const std::byte* data;
  std::int64_t n_cols;
  std::size_t row_bytes;
  SideScales side{};  // if has_side_scales(dtype)
};

// Activations of n_tokens tokens, packed by pack_row(). Token t starts at data + t * row_bytes.
struct Activations {
  ActFormat format;
  const std::byte* data;
  int n_tokens;
  std::size_t row_bytes;
};

// The keys or the values of one layer and one KV head, in cache blocks that may lie anywhere. The
// row of position p is at blocks[p / block_tokens] + offset + (p % block_tokens) * row_bytes.
struct KvRows {
  Dtype dtype;  // a type that encode_row() accepts
  const std::byte* const* blocks;
  std::size_t offset;
  int block_tokens;
  std::size_t row_bytes;

  const std::byte* row(int position) const noexcept {
    return blocks[position / block_tokens] + offset +
           static_cast<std::size_t>(position % block_tokens) * row_bytes;
  }
};

// Attention of the query heads that share one KV head, for n_queries consecutive positions. Query i
// (i < n_queries) sees positions [first_i, last_i] with last_i = pos + i and first_i = window > 0 ?
// max(0, last_i - window + 1) : 0, that is, positions closer than the window. out = sum_p w_p v_p
// with w = softmax(scores). A score is s = scale * (q . k), or softcap * tanh(s / softcap). A sink
// is an additional score of the softmax without a value.
struct AttentionJob {
  const float* q;  // [n_queries, n_group, head_dim_k], query stride q_stride floats
  std::int64_t q_stride;
  float* out;  // [n_queries, n_group, head_dim_v], query stride out_stride floats
  std::int64_t out_stride;
  int n_queries;
  int n_group;
  int head_dim_k;
  int head_dim_v;
  int pos;
  int window;  // 0: unlimited
  float scale;
  float softcap = 0;             // 0: no cap (Gemma 2, arXiv:2408.00118, section 2)
  const float* sinks = nullptr;  // [n_group], not scaled, or nullptr (gpt-oss)
  KvRows k;
  KvRows v;
  float* scratch;  // attention_scratch_floats(...) floats, private to this worker
};

// One token of a gated delta rule (Yang et al., arXiv:2412.06464): S = decay S, then S += beta (v -
// S k) k^T, then out = S q. S is [dim, dim], with one row per entry of v.
struct DeltaRule {
  float* state;
  const float* q;  // [dim]
  const float* k;  // [dim]
  const float* v;  // [dim]
  float decay;
  float beta;
  int dim;
  float* out;  // [dim], must not overlap the others
};

struct KernelTable {
  Isa isa;

  // y[t * y_stride + r] = sum_c w[row0 + r][c] * x[t][c] for r < n_rows and t < x.n_tokens.
  // Overwrites y. x.format may be f32 for any dtype, q8 only for GGUF's quantised dtypes (n_cols a
  // multiple of 32), and bf16 only for BF16. Ranges with a multiple of 32 rows waste nothing. With
  // one token, rows are read as one stream that is prefetched 8 KiB ahead, even past the range, so
  // take neighbouring ranges in order. With several tokens, rows are unpacked once for all of them.
  void (*matmul)(const WeightRows& w, std::int64_t row0, std::int64_t n_rows, const Activations& x,
                 float* y, std::int64_t y_stride) noexcept;
  // Packs n > 0 floats as a row of activations. `out` holds act_row_bytes(format, n) bytes.
  void (*pack_row)(ActFormat format, const float* x, std::int64_t n, std::byte* out) noexcept;

  // Converts a whole row of weights of any dtype to f32.
  void (*decode_weights)(const WeightRows& w, std::int64_t row, float* out) noexcept;
  // Convert rows of GGUF types and of the cache to f32 and back, n > 0. encode_row() accepts the
  // types of kCacheTypes (dtype.h), does not search for scales (quantize.h does), and gives the
  // same bits in every table.
  void (*decode_row)(Dtype dtype, const std::byte* in, std::int64_t n, float* out) noexcept;
  void (*encode_row)(Dtype dtype, const float* in, std::int64_t n, std::byte* out) noexcept;

  // y = x / sqrt(mean(x^2) + eps) * weight. A nullptr weight means all ones. y may be x.
  void (*rms_norm)(const float* x, const float* weight, std::int64_t n, float eps,
                   float* y) noexcept;
  // y = (x - mean(x)) / sqrt(variance(x) + eps) * weight. y may be x.
  void (*layer_norm)(const float* x, const float* weight, std::int64_t n, float eps,
                     float* y) noexcept;
  // Rotates pairs by the angles with these cosines and sines, [n_rot / 2] each, already multiplied
  // by any magnitude factor. If `interleaved`, pairs are (2i, 2i+1) as in `llama`; otherwise (i, i
  // + n_rot/2) as in `qwen2` (NEOX). x is [head_dim]; entries from n_rot on do not change.
  void (*rope)(float* x, int n_rot, bool interleaved, const float* cosines,
               const float* sines) noexcept;
  // y = silu(gate) * up. y may be gate or up.
  void (*silu_mul)(const float* gate, const float* up, std::int64_t n, float* y) noexcept;
  // The activation of gpt-oss: y = g / (1 + e^(-1.702 g)) * (u + 1) with g = min(gate, 7) and u =
  // up clamped to [-7, 7]. y may be gate or up. Source: openai/gpt-oss, gpt_oss/torch/model.py,
  // swiglu().
  void (*swiglu_oai)(const float* gate, const float* up, std::int64_t n, float* y) noexcept;
  // y = gelu(gate) * up, with gelu(x) = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). y may be
  // gate or up (Hendrycks and Gimpel, arXiv:1606.08415).
  void (*gelu_mul)(const float* gate, const float* up, std::int64_t n, float* y) noexcept;
  // y = x * sigmoid(gate). y may be x or gate.
  void (*sigmoid_mul)(const float* gate, const float* x, std::int64_t n, float* y) noexcept;
  // y += x.
  void (*add)(const float* x, std::int64_t n, float* y) noexcept;
  // y += scale * x.
  void (*add_scaled)(const float* x, std::int64_t n, float scale, float* y) noexcept;
  // x = cap * tanh(x / cap), in place. cap > 0.
  void (*soft_cap)(float* x, std::int64_t n, float cap) noexcept;
  void (*softmax)(float* x, std::int64_t n) noexcept;  // in place
  void (*attention)(const AttentionJob& job) noexcept;
  // Attention in parts, for several threads. attention_partial() writes the contribution of one
  // slice of positions (attention_tile.h) to `partial`, which has
  // attention_partial_floats(n_queries * n_group, head_dim_v) floats. attention_join() computes
  // job.out from the partials, stored one after another, of all slices that a query sees. n_queries
  // must not exceed attention_tile_queries().
  void (*attention_partial)(const AttentionJob& job, int slice, float* partial) noexcept;
  void (*attention_join)(const AttentionJob& job, float* partials, int n_partials) noexcept;
  void (*delta_rule)(const DeltaRule& rule) noexcept;
  // Multiplies each `block` floats of x [n] by the normalised Hadamard matrix of that size. `block`
  // is a power of two, at least 64, and divides n. The matrix is its own inverse and spreads an
  // outlier over its block. Every table gives the same bits.
  void (*hadamard)(float* x, std::int64_t n, int block) noexcept;
};

// The format that pack_row() must use for weights of `dtype`. If `exact`, always f32.
ActFormat act_format(Dtype dtype, bool exact) noexcept;
std::size_t act_row_bytes(ActFormat format, std::int64_t n) noexcept;
std::size_t attention_scratch_floats(int n_group, int head_dim_k, int head_dim_v) noexcept;

}  // namespace confab::kernels
