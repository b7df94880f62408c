// SPDX-License-Identifier: MIT
// The forward pass from the inside: what its regions share. A region is one parallel loop; each of
// forward.cpp and the files named ..._regions.cpp defines those of its part.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <vector>

#include "engine/cpu/forward.h"
#include "engine/cpu/forward_buffers.h"
#include "engine/cpu/rope.h"
#include "engine/model/hparams.h"
#include "engine/model/weights.h"

namespace confab::engine {

// The formats of activations that these matrices want.
ActFormats formats_of(std::initializer_list<const Matrix*> matrices, bool exact) noexcept;

// The rows [row0, row0 + n_rows) of a matrix.
struct RowRange {
  std::int64_t row0;
  std::int64_t n_rows;
};

// Slices of the rows of a matrix are multiples of this; and for one token, at most so long.
inline constexpr std::int64_t kSliceRows = 16;
inline constexpr std::int64_t kLongSlice = 512;

// n rows in pieces of `piece`, the last one shorter.
inline int n_pieces(std::int64_t n, std::int64_t piece) noexcept {
  return static_cast<int>((n + piece - 1) / piece);
}
inline RowRange piece_of(int i, std::int64_t piece, std::int64_t n) noexcept {
  const std::int64_t row0 = i * piece;
  return {row0, std::min(piece, n - row0)};
}

// The buffers hold `n` tokens at the positions from `pos` on while a run lasts. Comments give
// shapes.
struct Forward::State {
  const Hparams& hp;
  const Weights& weights;
  const kernels::KernelTable& kernel;
  kernels::ThreadPool& pool;
  KvCache& cache;
  const Options options;
  const std::vector<Rope> ropes;
  const ForwardBuffers buffers;
  int n = 0;
  int pos = 0;
  // buffers.y() has yet to be added to the stream x, normed by these weights if there are any.
  bool y_pending = false;
  Norm y_norm = {};
  const float* x_scale = nullptr;  // what the stream is multiplied by then, if not nullptr

  const LayerHparams& layer_hparams(int il) const noexcept {
    return hp.layers[static_cast<std::size_t>(il)];
  }

  // forward.cpp
  void embed(std::span<const Token> tokens) noexcept;
  void layer(const LayerWeights& w, int il, LogitsOf wanted) noexcept;
  void output_rows() noexcept;
  void keep_last_token() noexcept;
  void keep_last_row(float* rows, std::int64_t n_row) const noexcept;
  const float* attend(const LayerWeights& w, int il, LogitsOf wanted) noexcept;

  // Packed rows = norm(x), or x where there are no weights; first adds what is pending. With
  // hp.parallel, that is added only after the norm has been taken.
  void pack_normed(const Norm& norm, ActFormats formats) noexcept;
  // Packed rows = rows [n, n_cols], as m wants them.
  void pack_rows(const float* rows, int n_cols, const Matrix& m) noexcept;
  // y = m x + bias for the rows [row0, row0 + n_rows) and the packed tokens.
  void project(const Matrix& m, std::int64_t row0, std::int64_t n_rows, float* y,
               std::int64_t y_stride) noexcept;
  // The same for these activations.
  void project(const Matrix& m, RowRange rows, const kernels::Activations& x, float* y,
               std::int64_t y_stride) noexcept;
  // The packed rows from `first` on, as m wants them.
  kernels::Activations packed_rows(const Matrix& m, int first, int n_rows) const noexcept;
  // Region: x += residual_scale * (m y + bias), for the packed rows y; or leaves that pending, to
  // be normed by `norm` if it has weights.
  void add_projection(const Matrix& m) noexcept;
  void leave_projection(const Matrix& m, const Norm& norm) noexcept;

  // attention_regions.cpp
  void query_key_value(const LayerWeights& w, int il) noexcept;
  void query_key_rows(const LayerWeights& w, int il) noexcept;
  void query_head(const LayerWeights& w, int il, int head) noexcept;
  void key_head(const LayerWeights& w, int il, int head, float* scratch) noexcept;
  void value_head(const LayerWeights& w, int il, int head, float* scratch) noexcept;
  void finish_query(float* q, int il, int t) const noexcept;
  void finish_key(float* k, int il, int head, int t) noexcept;
  void rotate(float* row, int rope, int t) const noexcept;
  // Multiplies by the Hadamard matrix of `block` rows that the cache asks for; 0: by none.
  void turn(float* row, std::int64_t n_values, int block) const noexcept;
  void norm_head(const HeadNorm& norm, int head, float* row, int dim) const noexcept;
  void attention(const LayerWeights& w, int il) noexcept;
  struct AttentionCut;
  AttentionCut cut_attention(const LayerHparams& layer) const noexcept;
  kernels::AttentionJob attention_job(const LayerWeights& w, int il, int group,
                                      RowRange queries) const noexcept;
  void finish_attention(const kernels::AttentionJob& job, int il) const noexcept;
  void attention_by_segments(const LayerWeights& w, int il, const AttentionCut& cut) noexcept;

  // latent_regions.cpp
  struct Rows {  // one of floats for each token
    float* data;
    std::int64_t stride;
  };
  void latent_query_key(const LayerWeights& w, int il) noexcept;
  void project_latents(const LatentWeights& l) noexcept;
  void latent_query_head(const LayerWeights& w, int il, int head, float* scratch) noexcept;
  void project_rows(const Matrix& m, Rows x, Rows out, float* scratch) noexcept;
  void absorb_rows(const Matrix& k_b, Rows q, Rows out, float* scratch) noexcept;
  void latent_values(const LatentWeights& l, int il) noexcept;

  // delta_net_regions.cpp
  void delta_net(const LayerWeights& w, int il) noexcept;
  void project_delta_net(const DeltaNetWeights& w) noexcept;
  void convolve(const DeltaNetWeights& w, int il) noexcept;
  void delta_head(const DeltaNetWeights& w, int il, int head, float* scratch) noexcept;

  // feed_forward_regions.cpp
  void feed_forward(const LayerWeights& w, int il) noexcept;
  void hidden_layer(const LayerWeights& w, int il) noexcept;
  // gate = activation(gate) * up, of n_values values; up may be all ones.
  void activate(float* gate, const float* up, std::int64_t n_values) const noexcept;

  // expert_regions.cpp
  void experts(const LayerWeights& layer, int il) noexcept;
  void route(const ExpertWeights& w) noexcept;
  void hidden_of_experts(const ExpertWeights& w, std::span<const ExpertGroup> groups) noexcept;
  void hidden_of_group(const ExpertWeights& w, const ExpertGroup& group, RowRange rows,
                       int worker) noexcept;
  void hidden_of_shared(const ExpertWeights& w, RowRange rows, int worker) noexcept;
  kernels::Activations gather(const Matrix& m, std::span<const ExpertRow> tokens,
                              std::byte* to) const noexcept;
  float* shared_hidden() const noexcept;
  std::byte* shared_packed(const ExpertWeights& w, int t) const noexcept;
  void pack_hidden_of_experts(const ExpertWeights& w) noexcept;
  void add_experts(const ExpertWeights& w, std::span<const ExpertGroup> groups) noexcept;

  // plain_beside_regions.cpp
  void plain_beside(const LayerWeights& w, int il) noexcept;
  void add_plain_beside(const ExpertWeights& w) noexcept;

  // per_layer_input_regions.cpp
  void per_layer_inputs(std::span<const Token> tokens) noexcept;
  void add_per_layer_input(const LayerWeights& w, int il) noexcept;

  // f(t, worker) for each token. A single token is not worth a barrier.
  template <typename F>
  void for_each_token(const F& f) noexcept {
    if (n == 1) return f(0, 0);
    pool.parallel_for(n, f);
  }
  // How many of n_rows rows an item of a prompt takes.
  std::int64_t slice_rows(std::int64_t n_rows) const noexcept {
    const std::int64_t share = n_rows / (4 * pool.n_threads());
    return std::clamp<std::int64_t>(share / kSliceRows * kSliceRows, kSliceRows, kMaxSliceRows);
  }
  // f(row0, n_rows, worker) for slices of the rows of a matrix, of whole cache lines of results.
  // For a prompt they are alike; for one token, whose work is to stream the weights, as long as a
  // worker's scratch allows and shorter towards the end.
  template <typename F>
  void for_each_slice(std::int64_t n_rows, const F& f) noexcept {
    const std::int64_t piece = n == 1 ? kSliceRows : slice_rows(n_rows);
    const std::int64_t most =
        n == 1 ? std::min<std::int64_t>(kLongSlice, options.n_batch * kMaxSliceRows) : piece;
    pool.parallel_ranges(n_pieces(n_rows, piece), static_cast<int>(most / piece),
                         [&](int begin, int end, int worker) {
                           const std::int64_t row0 = begin * piece;
                           f(row0, std::min(end * piece, n_rows) - row0, worker);
                         });
  }

 private:
  void norm_row(const float* x, const Norm& norm, float* y) const noexcept;
  void add_pending(int t, float* scratch) noexcept;
  void pack(const float* row, int n_cols, int t, ActFormats formats) noexcept;
};

}  // namespace confab::engine
