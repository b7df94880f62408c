// SPDX-License-Identifier: MIT
// The forward pass from the inside: what its regions share. A region is one parallel loop; each of
// forward.cpp and the files named ..._regions.cpp has those of its part.
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

// The formats of activations that these matrices want.
ActFormats formats_of(std::initializer_list<const Matrix*> matrices, bool exact) noexcept;

// The rows [row0, row0 + n_rows) of a matrix.
struct RowSlice {
  std::int64_t row0;
  std::int64_t n_rows;
};

// Slices of the rows of a matrix are multiples of this. Those of a few tokens, whose work is to
// stream the weights, are at most so long.
inline constexpr std::int64_t kSliceRows = 16;
inline constexpr std::int64_t kLongSlice = 512;
inline constexpr int kFewTokens = 16;

// n rows in slices of `slice`, the last one shorter.
inline int count_slices(std::int64_t n, std::int64_t slice) noexcept {
  return static_cast<int>((n + slice - 1) / slice);
}
inline RowSlice slice_of(int i, std::int64_t slice, std::int64_t n) noexcept {
  const std::int64_t row0 = i * slice;
  return {row0, std::min(slice, n - row0)};
}

// The tokens of one sequence in a run: rows [first, first + n) of the buffers, from position `pos`
// on.
struct RunPart {
  KvCache* cache;
  LogitsOf wanted;
  int n_tokens;  // that the run began with
  int first;
  int n;
  int pos;
  bool in_flight = false;         // what recurrent layers make of them: RecurrentState
  const float* before = nullptr;  // what the output read of the token before them; may be unknown
  // How attention takes it: by so many queries, in items from this one on.
  int tile = 0;
  int first_item = 0;
};
struct RowAt {
  KvCache* cache;
  int pos;
};

// The buffers hold `n` tokens, of `parts`, while a run lasts. Comments give shapes.
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

  // x = row `id` of a table, [n_cols].
  void look_up(const Matrix& table, Token id, float* x) const noexcept;
  // x = the row of the run's token t in a table of embeddings, scaled.
  void embedding_row(const Matrix& table, int t, float* x) const noexcept;
  // y = x normed, [n_embd]; y may be x.
  void norm_row(const float* x, const Norm& norm, float* y) const noexcept;
  // Packed row t = row [n_cols], in each of the formats.
  void pack(const float* row, int n_cols, int t, ActFormats formats) noexcept;
  // Region: packed rows = norm(x), or x where there are no weights; adds buffers.y() to x where
  // that waits.
  void pack_normed(const StreamInput& input, ActFormats formats) noexcept;
  // Region: buffers.normed() = norm(x), as pack_normed() has it.
  void norm_stream(const StreamInput& input) noexcept;
  // Packed rows = rows [n, n_cols], as m wants them.
  void pack_rows(const float* rows, int n_cols, const Matrix& m) noexcept;
  // y = m x + bias for the rows [row0, row0 + n_rows) and the packed tokens.
  void project(const Matrix& m, std::int64_t row0, std::int64_t n_rows, float* y,
               std::int64_t y_stride) noexcept;
  // The same for these activations.
  void project(const Matrix& m, RowSlice rows, const kernels::Activations& x, float* y,
               std::int64_t y_stride) noexcept;
  // The packed rows from `first` on, as m wants them.
  kernels::Activations packed_rows(const Matrix& m, int first, int n_rows) const noexcept;
  void scale_stream(float scale) noexcept;  // region: x *= scale
  // Region: x += residual_scale * (m x + bias), for the packed rows x; or, where that is to wait,
  // buffers.y() = m x + bias.
  void add_projection(const Matrix& m, Residual::When when) noexcept;

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
  // For a prompt they are alike; for few tokens, as long as a worker's scratch allows and shorter
  // towards the end.
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
  void scale_row(int t, float scale) noexcept;  // of x
};

}  // namespace confab::engine
