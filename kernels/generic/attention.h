// SPDX-License-Identifier: MIT
// Attention with a running softmax, over the vocabulary S of an instruction set and its codes C
// (papers: scalar/attention.cpp). A tile of queries, with the query heads that share K and V,
// passes over them block by block, and each block is unpacked once for the tile. A row is one query
// and head. Blocks start at fixed positions and a row's sums run over them in order, so its bits do
// not depend on the tile.
#pragma once

#include <cassert>

#include "kernels/generic/attention_panels.h"
#include "kernels/generic/exp.h"

namespace confab::kernels::generic {

template <class S, class C>
class Attention {
 public:
  static void run(const AttentionJob& job) noexcept {
    const int tile = attention_tile_queries(job.n_group, job.head_dim_k, job.head_dim_v);
    for (int i = 0; i < job.n_queries; i += tile) {
      const int n = job.n_queries - i < tile ? job.n_queries - i : tile;
      Attention(job, i, n).run_tile();
    }
  }

  static void run_partial(const AttentionJob& job, int slice, float* partial) noexcept {
    assert(job.n_queries <= attention_tile_queries(job.n_group, job.head_dim_k, job.head_dim_v));
    Attention tile(job, 0, job.n_queries);
    const Partial sums = tile.partial_at(partial);
    tile.clear(sums);
    tile.add_slice(slice, sums);
  }

  static void join(const AttentionJob& job, float* partials, int n_partials) noexcept {
    Attention tile(job, 0, job.n_queries);
    tile.start(tile.whole_);
    const std::size_t stride = attention_partial_floats(tile.n_rows_, job.head_dim_v);
    for (int i = 0; i < n_partials; ++i)
      tile.join(tile.partial_at(partials + static_cast<std::size_t>(i) * stride));
    tile.finish();
  }

 private:
  using F = typename S::F;
  using I = typename S::I;
  static constexpr int kLanes = S::kLanes;
  // Maxima, and the values compared with them, are exponents of 2.
  static constexpr float kLog2E = 0x1.715476p+0F;

  struct Partial {  // laid out as for attention_partial_floats()
    float *out, *max, *sum;
  };
  struct Slice {
    int begin, end;
  };

  Attention(const AttentionJob& job, int query0, int n_queries) noexcept
      : job_(job),
        query0_(query0),
        n_queries_(n_queries),
        n_rows_(n_queries * job.n_group),
        dim_k_(attention_padded(job.head_dim_k)),
        dim_v_(attention_padded(job.head_dim_v)),
        k_panel_(job.scratch),
        v_panel_(k_panel_ + kAttentionBlock * dim_k_),
        rows_(v_panel_ + kAttentionBlock * dim_v_),
        q_(rows_ + kAttentionPad * (dim_k_ > dim_v_ ? dim_k_ : dim_v_)),
        scores_(q_ + n_rows_ * dim_k_),
        whole_(partial_at(scores_ + n_rows_ * kAttentionBlock)),
        of_slice_(partial_at(whole_.out + attention_partial_floats(n_rows_, job.head_dim_v))),
        q_scales_(of_slice_.out + attention_partial_floats(n_rows_, job.head_dim_v)),
        score_scales_(q_scales_ + n_rows_),
        keep_(score_scales_ + n_rows_),
        keys_(job.k.dtype, job.head_dim_k, k_panel_, rows_),
        values_(job.v.dtype, job.head_dim_v, v_panel_, rows_) {}

  Partial partial_at(float* p) const noexcept {
    float* max = p + n_rows_ * dim_v_;
    return {p, max, max + attention_padded(n_rows_)};
  }

  int last_position(int query) const noexcept { return job_.pos + query0_ + query; }
  int first_position(int query) const noexcept {
    const int last = last_position(query);
    return job_.window > 0 && last >= job_.window ? last - job_.window + 1 : 0;
  }

  void run_tile() noexcept {
    start(whole_);
    take_queries();
    const int last = last_position(n_queries_ - 1);
    for (int s = attention_slice_of(first_position(0));
         s < kAttentionSlices && attention_slice_begin(s) <= last; ++s) {
      clear(of_slice_);
      add_blocks(s, of_slice_);
      join(of_slice_);
    }
    finish();
  }

  void add_slice(int slice, const Partial& partial) noexcept {
    take_queries();
    add_blocks(slice, partial);
  }

  void clear(const Partial& partial) const noexcept {
    for (int i = 0; i < n_rows_ * dim_v_; ++i) partial.out[i] = 0;
    for (int i = 0; i < n_rows_; ++i) {
      partial.max[i] = -__builtin_inff();
      partial.sum[i] = 0;
    }
  }
  // A sink counts as one position with weight exp(0).
  void start(const Partial& partial) const noexcept {
    clear(partial);
    if (job_.sinks == nullptr) return;
    for (int i = 0; i < n_rows_; ++i) {
      partial.max[i] = kLog2E * job_.sinks[i % job_.n_group];
      partial.sum[i] = 1;
    }
  }

  void take_queries() noexcept {
    for (int i = 0; i < n_rows_; ++i) {
      const float* q = job_.q + (query0_ + i / job_.n_group) * job_.q_stride +
                       static_cast<std::int64_t>(i % job_.n_group) * job_.head_dim_k;
      q_scales_[i] = keys_.take_query(q, q_ + i * dim_k_) * job_.scale;
      score_scales_[i] = kLog2E * (job_.softcap > 0 ? 1 : q_scales_[i]);
    }
  }

  void add_blocks(int slice, const Partial& partial) noexcept {
    const int first = first_position(0), end = last_position(n_queries_ - 1) + 1;
    const int slice_begin = attention_slice_begin(slice);
    const int slice_end = attention_slice_end(slice);
    const Slice seen{first > slice_begin ? first : slice_begin, end < slice_end ? end : slice_end};
    for (int b = seen.begin / kAttentionBlock * kAttentionBlock; b < seen.end; b += kAttentionBlock)
      add_block(b, seen, partial);
  }

  // The positions of the block at b that a query sees, relative to b. If it sees none, begin >=
  // end.
  Slice seen_by(int query, int b) const noexcept {
    const int begin = first_position(query) - b, end = last_position(query) - b + 1;
    return {begin > 0 ? begin : 0, end < kAttentionBlock ? end : kAttentionBlock};
  }
  // The queries that see at least one position of the block at b.
  Slice queries_of(int b) const noexcept {
    Slice q{0, n_queries_};
    while (q.begin < q.end && last_position(q.begin) < b) ++q.begin;
    while (q.begin < q.end && first_position(q.end - 1) >= b + kAttentionBlock) --q.end;
    return q;
  }

  // Adds the block at b to the running softmax of the tile's rows. The tile sees the positions
  // `seen`.
  void add_block(int b, Slice seen, const Partial& partial) noexcept {
    const int from = seen.begin > b ? seen.begin : b;
    const int to = seen.end < b + kAttentionBlock ? seen.end : b + kAttentionBlock;
    const int n_vectors = (to - b + kLanes - 1) / kLanes;
    const Slice q = queries_of(b);
    const int row = q.begin * job_.n_group, n_rows = (q.end - q.begin) * job_.n_group;
    keys_.load(BlockRows<S>(job_.k, b, from, to, position_after(b)), n_vectors);
    keys_.scores(q_ + row * dim_k_, dim_k_, n_rows, n_vectors, scores(row));
    if (job_.softcap > 0) cap_scores(row, n_rows, n_vectors);
    values_.load(BlockRows<S>(job_.v, b, from, to, position_after(b)), from - b, to - b);
    if (sees_all(q.begin, b) && sees_all(q.end - 1, b))
      return add_rows(row, n_rows, {0, kAttentionBlock}, partial);
    hide_scores(q, b);
    for (int i = q.begin; i < q.end; ++i)
      add_rows(i * job_.n_group, job_.n_group, seen_by(i, b), partial);
  }

  // Where the next block starts. It may belong to the next slice, which this thread often computes
  // next. After the last block, returns b itself.
  int position_after(int b) const noexcept {
    const int next = b + kAttentionBlock;
    return next <= last_position(n_queries_ - 1) ? next : b;
  }

  // Adds the positions `seen` of the block to some rows. These rows see no other positions of it;
  // the values there may be NaN.
  void add_rows(int row, int n_rows, Slice seen, const Partial& partial) noexcept {
    for (int i = row; i < row + n_rows; i += kLanes) {
      const int n = row + n_rows - i < kLanes ? row + n_rows - i : kLanes;
      exponentiate(i, n, partial);
      values_.add(scores(i), keep_ + i, n, seen.begin, seen.end, partial.out + i * dim_v_);
    }
  }

  bool sees_all(int query, int b) const noexcept {
    const Slice j = seen_by(query, b);
    return j.end - j.begin == kAttentionBlock;
  }

  float* scores(int row) const noexcept { return scores_ + row * kAttentionBlock; }

  void cap_scores(int row, int n_rows, int n_vectors) noexcept {
    const F cap = S::set1(job_.softcap);
    for (int i = row; i < row + n_rows; ++i) {
      float* s = scores(i);
      const F scale = S::set1(q_scales_[i]);
      for (int j = 0; j < n_vectors * kLanes; j += kLanes) {
        const F score = S::mul(S::load(s + j), scale);
        S::store(s + j, S::mul(cap, tanh<S>(S::div(score, cap))));
      }
    }
  }

  // Sets the scores to -infinity where a query does not look.
  void hide_scores(Slice queries, int b) noexcept {
    for (int i = queries.begin; i < queries.end; ++i) {
      const Slice seen = seen_by(i, b);
      for (int g = 0; g < job_.n_group; ++g) {
        float* s = scores(i * job_.n_group + g);
        for (int j = 0; j < seen.begin; ++j) s[j] = -__builtin_inff();
        for (int j = seen.end; j < kAttentionBlock; ++j) s[j] = -__builtin_inff();
      }
    }
  }

  // Updates the running maxima of n <= kLanes rows and replaces their scores by weights, that is,
  // exponentials. Where possible, the rows are lanes.
  void exponentiate(int row, int n, const Partial& partial) noexcept {
    F tops[kLanes];
    for (int i = 0; i < n; ++i) {
      const float* s = scores(row + i);
      F top = S::load(s);
      for (int j = kLanes; j < kAttentionBlock; j += kLanes) top = S::max(S::load(s + j), top);
      tops[i] = top;
    }
    for (int i = n; i < kLanes; ++i) tops[i] = S::zero();
    const F peaks = S::maxima(tops);
    const F old_max = S::load_n(partial.max + row, n);
    const F max = S::max(S::mul(peaks, S::load_n(score_scales_ + row, n)), old_max);
    const F keep = exp2<S>(S::sub(old_max, max));
    S::store_n(partial.max + row, n, max);
    S::store_n(keep_ + row, n, keep);
    F totals[kLanes];
    for (int i = 0; i < kLanes; ++i) {
      totals[i] = i < n ? weights(row + i, partial.max[row + i]) : S::zero();
    }
    S::store_n(partial.sum + row, n,
               S::fma(S::load_n(partial.sum + row, n), keep, S::sums(totals)));
  }

  // Computes the weights of a row and returns their sum as a vector.
  F weights(int row, float max) noexcept {
    float* s = scores(row);
    const F scale = S::set1(score_scales_[row]), less = S::set1(-max);
    F total = S::zero();
    for (int j = 0; j < kAttentionBlock; j += kLanes) {
      const F p = exp2<S>(S::fma(S::load(s + j), scale, less));
      S::store(s + j, p);
      total = S::add(total, p);
    }
    return total;
  }

  // Adds a partial to the whole. Rows that saw nothing in the partial do not change.
  void join(const Partial& partial) noexcept {
    for (int i = 0; i < n_rows_; ++i) {
      if (partial.max[i] == -__builtin_inff()) continue;
      const float max = partial.max[i] > whole_.max[i] ? partial.max[i] : whole_.max[i];
      const F keep = exp2<S>(S::set1(whole_.max[i] - max));
      const F weight = exp2<S>(S::set1(partial.max[i] - max));
      whole_.max[i] = max;
      whole_.sum[i] =
          S::first(S::fma(S::set1(whole_.sum[i]), keep, S::mul(S::set1(partial.sum[i]), weight)));
      float* out = whole_.out + i * dim_v_;
      for (int d = 0; d < dim_v_; d += kLanes) {
        const F more = S::mul(S::load(partial.out + i * dim_v_ + d), weight);
        S::store(out + d, S::fma(S::load(out + d), keep, more));
      }
    }
  }

  void finish() const noexcept {
    for (int i = 0; i < n_rows_; ++i) {
      float* out = job_.out + (query0_ + i / job_.n_group) * job_.out_stride +
                   static_cast<std::int64_t>(i % job_.n_group) * job_.head_dim_v;
      const float inverse = 1.0F / whole_.sum[i];
      for (int d = 0; d < job_.head_dim_v; ++d) out[d] = whole_.out[i * dim_v_ + d] * inverse;
    }
  }

  const AttentionJob& job_;
  int query0_, n_queries_, n_rows_;
  int dim_k_, dim_v_;  // padded
  float *k_panel_, *v_panel_, *rows_;
  float* q_;       // [n_rows, dim_k], as keys_ stores queries
  float* scores_;  // [n_rows, kAttentionBlock]; replaced by the weights
  Partial whole_, of_slice_;
  // [n_rows] each. q_scales_: factor of the scores. score_scales_: turns them into exponents of 2
  // after the softcap. keep_: the factor of the sums when the running maximum changes.
  float *q_scales_, *score_scales_, *keep_;
  AttentionKeys<S, C> keys_;
  AttentionValues<S, C> values_;
};

}  // namespace confab::kernels::generic
