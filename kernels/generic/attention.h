// SPDX-License-Identifier: MIT
// Attention with a running softmax, over the vocabulary S of an instruction set (papers:
// scalar/attention.cpp). A tile of queries passes over K and V block by block; each block is
// decoded to f32 once for all queries and heads of the tile. Blocks begin at fixed positions and a
// query's sums run over them in order, so its bits do not depend on the tile.
#pragma once

#include "kernels/attention_tile.h"
#include "kernels/generic/exp.h"
#include "kernels/generic/rows.h"
#include "kernels/generic/tanh.h"
#include "kernels/kernel_table.h"

namespace confab::kernels::generic {

template <class S>
class Attention {
 public:
  static void run(const AttentionJob& job) noexcept {
    for (int i = 0; i < job.n_queries; i += kAttentionTile) {
      const int n = job.n_queries - i < kAttentionTile ? job.n_queries - i : kAttentionTile;
      Attention(job, i, n).run_tile();
    }
  }

 private:
  using F = typename S::F;
  static constexpr int kLanes = S::kLanes;

  Attention(const AttentionJob& job, int query0, int n_queries) noexcept
      : job_(job),
        query0_(query0),
        n_queries_(n_queries),
        k_buffer_(job.scratch),
        v_buffer_(k_buffer_ + kAttentionBlock * job.head_dim_k),
        scores_(v_buffer_ + kAttentionBlock * job.head_dim_v),
        max_(scores_ + kAttentionBlock * job.n_group),
        sum_(max_ + kAttentionTile * job.n_group) {}

  int last_position(int query) const noexcept { return job_.pos + query0_ + query; }
  int first_position(int query) const noexcept {
    const int last = last_position(query);
    return job_.window > 0 && last >= job_.window ? last - job_.window + 1 : 0;
  }
  float* out(int query, int head) const noexcept {
    return job_.out + (query0_ + query) * job_.out_stride +
           static_cast<std::int64_t>(head) * job_.head_dim_v;
  }

  void run_tile() noexcept {
    for (int i = 0; i < n_queries_ * job_.n_group; ++i) {  // a sink has weight exp(0) already
      max_[i] = job_.sinks != nullptr ? job_.sinks[i % job_.n_group] : -__builtin_inff();
      sum_[i] = job_.sinks != nullptr ? 1.0F : 0.0F;
    }
    for (int q = 0; q < n_queries_; ++q) {
      float* o = out(q, 0);
      for (int d = 0; d < job_.n_group * job_.head_dim_v; ++d) o[d] = 0;
    }
    const int begin = first_position(0), last = last_position(n_queries_ - 1);
    for (int b = begin / kAttentionBlock * kAttentionBlock; b <= last; b += kAttentionBlock) {
      const int from = b < begin ? begin : b;
      const int to = b + kAttentionBlock <= last ? b + kAttentionBlock : last + 1;
      load_rows(job_.k, from, to, b, job_.head_dim_k, k_buffer_, k_);
      load_rows(job_.v, from, to, b, job_.head_dim_v, v_buffer_, v_);
      for (int q = 0; q < n_queries_; ++q) {
        const int j0 = first_position(q) > b ? first_position(q) - b : 0;
        const int end = last_position(q) - b + 1;
        const int j1 = end < kAttentionBlock ? end : kAttentionBlock;
        if (j0 >= j1) continue;
        add_block(q, j0, j1);
      }
    }
    for (int q = 0; q < n_queries_; ++q) {
      for (int g = 0; g < job_.n_group; ++g) {
        scale_row(out(q, g), 1.0F / sum_[q * job_.n_group + g]);
      }
    }
  }

  // f32 rows of positions [from, to) of the block at b: rows[position - b], where they lie or in
  // `buffer`. Positions of the block that are not asked for give a row that is.
  static void load_rows(const KvRows& kv, int from, int to, int b, int dim, float* buffer,
                        const std::byte* rows[]) noexcept {
    for (int p = from; p < to; ++p, buffer += dim) {
      const auto block = static_cast<std::size_t>(p / kv.block_tokens);
      const auto slot = static_cast<std::size_t>(p % kv.block_tokens);
      const std::byte* row = kv.base + block * kv.block_stride + slot * kv.row_bytes;
      rows[p - b] = row;
      if (kv.dtype == Dtype::F32) continue;
      Rows<S>::decode(kv.dtype, row, dim, buffer);
      rows[p - b] = reinterpret_cast<const std::byte*>(buffer);
    }
    for (int j = 0; j < from - b; ++j) rows[j] = rows[from - b];
    for (int j = to - b; j < kAttentionBlock; ++j) rows[j] = rows[to - b - 1];
  }

  // Adds positions [j0, j1) of the block to the running softmax of a query's heads. Each step is
  // done for all heads before the next, as those of one head wait for each other.
  void add_block(int query, int j0, int j1) noexcept {
    for (int g = 0; g < job_.n_group; ++g) score(query, g, j0, j1);
    for (int g = 0; g < job_.n_group; ++g) exponentiate(query, g);
    int g = 0;
    for (; g + 2 <= job_.n_group; g += 2) add_values<2>(query, g, j0, j1);
    if (g < job_.n_group) add_values<1>(query, g, j0, j1);
  }

  float* scores(int head) const noexcept { return scores_ + head * kAttentionBlock; }

  // The scores of a block; -infinity where the query does not look.
  void score(int query, int head, int j0, int j1) noexcept {
    const float* q = job_.q + (query0_ + query) * job_.q_stride +
                     static_cast<std::int64_t>(head) * job_.head_dim_k;
    float* s = scores(head);
    for (int j = 0; j < kAttentionBlock; j += kLanes) {
      if (j + kLanes <= j0 || j >= j1) {
        S::store(s + j, S::set1(-__builtin_inff()));
        continue;
      }
      S::store(s + j, capped(S::mul(dots(q, k_ + j), S::set1(job_.scale))));
      for (int i = j; i < j0; ++i) s[i] = -__builtin_inff();
      for (int i = j1; i < j + kLanes; ++i) s[i] = -__builtin_inff();
    }
  }

  F capped(F score) const noexcept {
    if (job_.softcap <= 0) return score;
    const F cap = S::set1(job_.softcap);
    return S::mul(cap, tanh<S>(S::div(score, cap)));
  }

  // Moves the running maximum of a head and turns its scores into their exponentials.
  void exponentiate(int query, int head) noexcept {
    const int state = query * job_.n_group + head;
    float* s = scores(head);
    F peak = S::set1(max_[state]);
    for (int j = 0; j < kAttentionBlock; j += kLanes) peak = S::max(S::load(s + j), peak);
    const float new_max = S::max(peak);
    F total = S::zero();
    for (int j = 0; j < kAttentionBlock; j += kLanes) {
      const F p = exp<S>(S::sub(S::load(s + j), S::set1(new_max)));
      S::store(s + j, p);
      total = S::add(total, p);
    }
    if (new_max > max_[state]) {  // else all would be multiplied by 1
      const float keep = S::first(exp<S>(S::set1(max_[state] - new_max)));
      max_[state] = new_max;
      sum_[state] *= keep;
      scale_row(out(query, head), keep);
    }
    sum_[state] += S::sum(total);
  }

  // q times kLanes rows of K, one in each lane.
  F dots(const float* q, const std::byte* const rows[]) const noexcept {
    const int dim = job_.head_dim_k;
    F acc[kLanes];
    for (int j = 0; j < kLanes; ++j) acc[j] = S::zero();
    int d = 0;
    for (; d + kLanes <= dim; d += kLanes) {
      const F x = S::load(q + d);
      for (int j = 0; j < kLanes; ++j) acc[j] = S::fma(x, S::load_f32(rows[j] + 4 * d), acc[j]);
    }
    if (d < dim) {
      const F x = S::load_n(q + d, dim - d);
      for (int j = 0; j < kLanes; ++j) {
        acc[j] = S::fma(x, S::load_f32_n(rows[j] + 4 * d, dim - d), acc[j]);
      }
    }
    return S::sums(acc);
  }

  // o += sum of p[j] * V row j, for j in [j0, j1), for some heads.
  template <int kHeads>
  void add_values(int query, int head, int j0, int j1) const noexcept {
    constexpr int kVectors = 4;
    int d = 0;
    for (; d + kVectors * kLanes <= job_.head_dim_v; d += kVectors * kLanes) {
      F acc[kHeads][kVectors];
      for (int h = 0; h < kHeads; ++h) {
        for (int i = 0; i < kVectors; ++i)
          acc[h][i] = S::load(out(query, head + h) + d + i * kLanes);
      }
      for (int j = j0; j < j1; ++j) {
        for (int h = 0; h < kHeads; ++h) {
          const F p = S::set1(scores(head + h)[j]);
          for (int i = 0; i < kVectors; ++i) {
            acc[h][i] = S::fma(p, S::load_f32(v_[j] + 4 * (d + i * kLanes)), acc[h][i]);
          }
        }
      }
      for (int h = 0; h < kHeads; ++h) {
        for (int i = 0; i < kVectors; ++i)
          S::store(out(query, head + h) + d + i * kLanes, acc[h][i]);
      }
    }
    for (; d < job_.head_dim_v; d += kLanes) {
      const int n = job_.head_dim_v - d < kLanes ? job_.head_dim_v - d : kLanes;
      for (int h = 0; h < kHeads; ++h) {
        F acc = S::load_n(out(query, head + h) + d, n);
        for (int j = j0; j < j1; ++j) {
          acc = S::fma(S::set1(scores(head + h)[j]), S::load_f32_n(v_[j] + 4 * d, n), acc);
        }
        S::store_n(out(query, head + h) + d, n, acc);
      }
    }
  }

  void scale_row(float* o, float factor) const noexcept {
    for (int d = 0; d < job_.head_dim_v; ++d) o[d] *= factor;
  }

  const AttentionJob& job_;
  int query0_, n_queries_;
  float *k_buffer_, *v_buffer_;  // f32 rows of the block at hand
  float* scores_;                // [n_group, kAttentionBlock] of a query, then their exponentials
  float *max_, *sum_;            // [n_queries, n_group] of the running softmax
  const std::byte* k_[kAttentionBlock];
  const std::byte* v_[kAttentionBlock];
};

}  // namespace confab::kernels::generic
