// SPDX-License-Identifier: MIT
// Attention over a cache of random rows, for the tests of it: one call, partials, the definition.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/attention_tile.h"
#include "kernels/block.h"
#include "kernels/tables.h"
#include "tests/kernels/testing.h"

namespace confab::kernels::testing {

struct Shape {
  int n_group, head_dim_k, head_dim_v, n_positions, block_tokens;
};

// A cache of random rows and queries for its last positions.
struct Problem {
  Problem(std::mt19937& rng, Shape s, Dtype type_k, Dtype type_v, int queries)
      : shape(s), n_queries(queries) {
    k = fill(rng, type_k, s.head_dim_k, k_blocks);
    v = fill(rng, type_v, s.head_dim_v, v_blocks);
    q = random_floats(rng, static_cast<std::size_t>(queries * s.n_group * s.head_dim_k));
  }

  struct Blocks {
    std::vector<std::byte> bytes;
    std::vector<const std::byte*> at;
  };
  // Rows lie in blocks that are anywhere, with a gap before each.
  KvRows fill(std::mt19937& rng, Dtype dtype, int dim, Blocks& blocks) const {
    constexpr std::size_t kGap = 24;
    const std::size_t row = row_bytes(dtype, dim);
    const std::size_t stride = row * static_cast<std::size_t>(shape.block_tokens) + kGap;
    const auto n_blocks =
        static_cast<std::size_t>((shape.n_positions + shape.block_tokens - 1) / shape.block_tokens);
    blocks.bytes = random_bytes(rng, stride * n_blocks);
    for (std::size_t i = 0; i < n_blocks; ++i) blocks.at.push_back(&blocks.bytes[stride * i]);
    std::ranges::shuffle(blocks.at, rng);
    const KvRows rows{dtype, blocks.at.data(), kGap, shape.block_tokens, row};
    for (int p = 0; p < shape.n_positions; ++p) {
      const auto x = random_floats(rng, static_cast<std::size_t>(dim));
      kScalarTable.encode_row(dtype, x.data(), dim, const_cast<std::byte*>(rows.row(p)));
    }
    return rows;
  }
  static std::vector<float> row(const KvRows& rows, int p, int dim) {
    std::vector<float> x(static_cast<std::size_t>(dim));
    kScalarTable.decode_row(rows.dtype, rows.row(p), dim, x.data());
    return x;
  }
  int first_position() const { return shape.n_positions - n_queries; }
  float scale() const { return 1.0F / std::sqrt(static_cast<float>(shape.head_dim_k)); }
  std::size_t out_row() const { return static_cast<std::size_t>(shape.n_group * shape.head_dim_v); }

  // Queries [begin, begin + n).
  AttentionJob job_of(int begin, int n, int window, float* out, float* scratch) const {
    AttentionJob job{};
    job.q_stride = shape.n_group * shape.head_dim_k;
    job.q = q.data() + begin * job.q_stride;
    job.out = out;
    job.out_stride = static_cast<std::int64_t>(out_row());
    job.n_queries = n;
    job.n_group = shape.n_group;
    job.head_dim_k = shape.head_dim_k;
    job.head_dim_v = shape.head_dim_v;
    job.pos = first_position() + begin;
    job.window = window;
    job.scale = scale();
    job.softcap = softcap;
    job.sinks = sinks.empty() ? nullptr : sinks.data();
    job.k = k;
    job.v = v;
    job.scratch = scratch;
    return job;
  }
  std::vector<float> scratch() const {
    return std::vector<float>(
        attention_scratch_floats(shape.n_group, shape.head_dim_k, shape.head_dim_v), NAN);
  }
  // In one call.
  void run(const KernelTable& table, int begin, int n, int window, float* out) const {
    std::vector<float> space = scratch();
    table.attention(job_of(begin, n, window, out, space.data()));
  }
  // The slices of which a job sees something.
  struct Slices {
    int first, n;
  };
  static Slices slices_of(const AttentionJob& job) {
    const int seen = job.window > 0 ? std::max(0, job.pos - job.window + 1) : 0;
    const int first = attention_slice_of(seen);
    return {first, attention_slice_of(job.pos + job.n_queries - 1) - first + 1};
  }
  // In partials, the last slice first.
  void run_parts(const KernelTable& table, int begin, int n, int window, float* out) const {
    std::vector<float> space = scratch();
    const AttentionJob job = job_of(begin, n, window, out, space.data());
    const auto [first, n_partials] = slices_of(job);
    const std::size_t partial = attention_partial_floats(n * shape.n_group, shape.head_dim_v);
    std::vector<float> partials(partial * static_cast<std::size_t>(n_partials), NAN);
    for (int i = n_partials; i-- > 0;)
      table.attention_partial(job, first + i,
                              partials.data() + partial * static_cast<std::size_t>(i));
    table.attention_join(job, partials.data(), n_partials);
  }

  struct Result {
    std::vector<double> out;
    double n_of_largest;  // how many times the largest weight all weights are
  };
  // The definition, in double.
  Result reference(int query, int group, int window) const {
    const int last = first_position() + query;
    const int first = window > 0 ? std::max(0, last - window + 1) : 0;
    const float* head = q.data() + (query * shape.n_group + group) * shape.head_dim_k;
    std::vector<double> weights, out(static_cast<std::size_t>(shape.head_dim_v));
    double max = -INFINITY, sum = 0;
    for (int p = first; p <= last; ++p) {
      const auto key = row(k, p, shape.head_dim_k);
      double score = 0;
      for (std::size_t d = 0; d < key.size(); ++d) {
        score += static_cast<double>(head[d]) * static_cast<double>(key[d]);
      }
      score *= static_cast<double>(scale());
      if (softcap > 0) {
        const auto cap = static_cast<double>(softcap);
        score = cap * std::tanh(score / cap);
      }
      weights.push_back(score);
      max = std::max(max, score);
    }
    for (double& w : weights) sum += w = std::exp(w - max);
    if (!sinks.empty()) {
      sum += std::exp(static_cast<double>(sinks[static_cast<std::size_t>(group)]) - max);
    }
    for (int p = first; p <= last; ++p) {
      const auto value = row(v, p, shape.head_dim_v);
      for (std::size_t d = 0; d < value.size(); ++d) {
        out[d] +=
            weights[static_cast<std::size_t>(p - first)] / sum * static_cast<double>(value[d]);
      }
    }
    return {out, sum};  // the largest weight is 1
  }

  // How far a result can move when each number of a query moves by half of its largest / 16256: the
  // weights by twice what the scores do, relatively, and the result by that much of a value.
  double rounding_bound() const {
    double key = 0;
    for (int p = 0; p < shape.n_positions; ++p) {
      double sum = 0;
      for (const float f : row(k, p, shape.head_dim_k)) sum += static_cast<double>(std::fabs(f));
      key = std::max(key, sum);
    }
    return 2 * largest(q) / (2 * 16256) * key * static_cast<double>(scale()) * largest_value();
  }
  // The same when each weight, times the scale of its value, moves by half of the largest / 16383.
  double weight_rounding_bound(int n_seen, const Result& result) const {
    return largest_value() / (2 * 16383) * n_seen / result.n_of_largest;
  }
  double largest_value() const {
    double most = 0;
    for (int p = 0; p < shape.n_positions; ++p)
      most = std::max(most, largest(row(v, p, shape.head_dim_v)));
    return most;
  }
  static double largest(const std::vector<float>& x) {
    float most = 0;
    for (const float f : x) most = std::max(most, std::fabs(f));
    return static_cast<double>(most);
  }

  Shape shape;
  int n_queries;
  Blocks k_blocks, v_blocks;
  KvRows k{}, v{};
  std::vector<float> q;
  float softcap = 0;
  std::vector<float> sinks;  // [n_group] or empty
};

}  // namespace confab::kernels::testing
