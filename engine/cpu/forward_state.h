// SPDX-License-Identifier: MIT
// The internals of the forward pass that its regions share. A region is one parallel loop.
// forward.cpp and the files named ..._regions.cpp each contain the regions of one part of a layer.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <vector>

#include "engine/cpu/forward.h"
#include "engine/cpu/forward_buffers.h"
#include "engine/cpu/rope.h"
#include "engine/model/hparams.h"
#include "engine/model/layer_plan.h"
#include "engine/model/weights.h"

namespace confab::engine {

// The formats of activations that these matrices read.
ActFormats formats_of(std::initializer_list<const Matrix*> matrices, bool exact) noexcept;

// The rows [row0, row0 + n_rows) of a matrix.
struct RowSlice {
  std::int64_t row0;
  std::int64_t n_rows;
};

// Rows of a matrix are cut into slices of a multiple of kSliceRows. With at most kFewTokens tokens
// the work is streaming the weights, and a slice has at most kLongSlice rows.
inline constexpr std::int64_t kSliceRows = 16;
inline constexpr std::int64_t kLongSlice = 512;
inline constexpr int kFewTokens = 16;

// Cuts n rows into slices of `slice` rows; the last one may be shorter.
inline int count_slices(std::int64_t n, std::int64_t slice) noexcept {
  return static_cast<int>((n + slice - 1) / slice);
}
inline RowSlice slice_of(int i, std::int64_t slice, std::int64_t n) noexcept {
  const std::int64_t row0 = i * slice;
  return {row0, std::min(slice, n - row0)};
}

// The tokens of one sequence in a run: rows [first, first + n) of the buffers, starting at position
// `pos`.
struct RunPart {
  KvCache* cache;
  LogitsOf wanted;
  int n_tokens;  // at the start of the run
  int first;
  int n;
  int pos;
  // whether recurrent layers leave these tokens in flight (see RecurrentState)
  bool in_flight = false;
  // input of the output matrix for the token before these; nullptr if unknown
  const float* before = nullptr;
  // Attention takes this part in tiles of this many queries; its first work item is first_item.
  int tile = 0;
  int first_item = 0;
};
struct RowAt {
  KvCache* cache;
  int pos;
};

// During a run, the buffers hold the `n` tokens of `parts`. Comments give shapes.
struct ForwardState {
  const Hparams& hp;
  const Weights& weights;
  const Plan plan;
  const kernels::KernelTable& kernel;
  kernels::ThreadPool& pool;
  const Forward::Options options;
  const std::vector<Rope> ropes;
  ForwardBuffers buffers;
  std::vector<RunPart> parts = {};
  std::vector<RowAt> places = {};  // [n]
  std::vector<Token> tokens = {};  // [n]
  int n = 0;

  int pos(int t) const noexcept { return places[static_cast<std::size_t>(t)].pos; }
  KvCache& cache(int t) const noexcept { return *places[static_cast<std::size_t>(t)].cache; }
  const KvLayout& layout() const noexcept { return parts.front().cache->layout(); }

  // x = row `id` of `table`, [n_cols].
  void look_up(const Matrix& table, Token id, float* x) const noexcept;
  // x = the scaled embedding of the run's token t, from `table`.
  void embedding_row(const Matrix& table, int t, float* x) const noexcept;
  // y = norm(x), [n_embd]; y may be x.
  void norm_row(const float* x, const Norm& norm, float* y) const noexcept;
  // Packs a row, [n_cols], as row t in each of the formats.
  void pack(const float* row, int n_cols, int t, ActFormats formats) noexcept;
  // Region: packed rows = norm(x), or x if the norm has no weights. Also adds buffers.y() to x if a
  // residual is pending, before or after the norm.
  void pack_normed(const StreamInput& input, ActFormats formats) noexcept;
  // Region: buffers.normed() = norm(x), with pending residuals as in pack_normed().
  void norm_stream(const StreamInput& input) noexcept;
  // Packs rows [n, n_cols] in the format that m reads.
  void pack_rows(const float* rows, int n_cols, const Matrix& m) noexcept;
  // y = m x + bias for the rows [row0, row0 + n_rows) and the packed tokens.
  void project(const Matrix& m, std::int64_t row0, std::int64_t n_rows, float* y,
               std::int64_t y_stride) noexcept;
  // The same for the activations x.
  void project(const Matrix& m, RowSlice rows, const kernels::Activations& x, float* y,
               std::int64_t y_stride) noexcept;
  // The packed rows from `first` on, in the format that m reads.
  kernels::Activations packed_rows(const Matrix& m, int first, int n_rows) const noexcept;
  void scale_stream(float scale) noexcept;  // region: x *= scale
  // Region: x += residual_scale * (m x + bias) for the packed rows x. If `when` is not at_once,
  // buffers.y() = m x + bias instead.
  void add_projection(const Matrix& m, Residual::When when) noexcept;

  // Calls f(t, worker) for each token. A single token is not worth a barrier.
  template <typename F>
  void for_each_token(const F& f) noexcept {
    if (n == 1) return f(0, 0);
    pool.parallel_for(n, f);
  }
  // How many of n_rows rows one item takes when there are many tokens.
  std::int64_t slice_rows(std::int64_t n_rows) const noexcept {
    const std::int64_t share = n_rows / (4 * pool.n_threads());
    return std::clamp<std::int64_t>(share / kSliceRows * kSliceRows, kSliceRows, kMaxSliceRows);
  }
  // Calls f(row0, n_rows, worker) for slices of the rows of a matrix, each a whole number of cache
  // lines of results. With many tokens all slices have the same size. With few, they are as long as
  // a worker's scratch allows and get shorter towards the end.
  template <typename F>
  void for_each_slice(std::int64_t n_rows, const F& f) noexcept {
    const bool few = n <= kFewTokens;
    const std::int64_t slice = n == 1 ? kSliceRows : few ? 2 * kSliceRows : slice_rows(n_rows);
    const std::int64_t room = std::int64_t{options.n_batch} * kMaxSliceRows / n;
    const std::int64_t most = few ? std::min(kLongSlice, room) : slice;
    pool.parallel_slices(count_slices(n_rows, slice), static_cast<int>(most / slice),
                         [&](int begin, int end, int worker) {
                           const std::int64_t row0 = begin * slice;
                           f(row0, std::min(end * slice, n_rows) - row0, worker);
                         });
  }

 private:
  void add_waiting(const Residual& residual, int t, float* scratch) noexcept;
  void scale_row(int t, float scale) noexcept;  // scales row t of x
};

}  // namespace confab::engine
