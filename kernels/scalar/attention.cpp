// SPDX-License-Identifier: MIT
// Attention with a running softmax (Milakov and Gimelshein, arXiv:1805.02867; Dao et al.,
// arXiv:2205.14135). K and V are read once, in order, and no row of scores is ever stored whole.
#include <cmath>

#include "kernels/attention_tile.h"
#include "kernels/scalar/scalar.h"

namespace confab::kernels::scalar {
namespace {

// Decodes the rows of positions [begin, begin + n) to f32 in `buffer`, [n, dim].
void decode_positions(const KvRows& rows, int begin, int n, int dim, float* buffer) noexcept {
  for (int j = 0; j < n; ++j) {
    decode_row(rows.dtype, rows.row(begin + j), dim, buffer + j * dim);
  }
}

float dot(const float* a, const float* b, int n) noexcept {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

float score(const AttentionJob& job, const float* q, const float* k) noexcept {
  const float s = dot(q, k, job.head_dim_k) * job.scale;
  return job.softcap > 0 ? job.softcap * std::tanh(s / job.softcap) : s;
}

// The running softmax of a row, that is, of one query and head, in the layout of
// attention_partial_floats().
struct Row {
  float& max;
  float& sum;
  float* out;  // [head_dim_v]
};
Row row_of(const AttentionJob& job, float* partial, int row) noexcept {
  const int n_rows = job.n_queries * job.n_group, dim = attention_padded(job.head_dim_v);
  float* max = partial + n_rows * dim;
  return {max[row], max[attention_padded(n_rows) + row], partial + row * dim};
}

void clear(const AttentionJob& job, float* partial) noexcept {
  for (int i = 0; i < job.n_queries * job.n_group; ++i) {
    const Row row = row_of(job, partial, i);
    row.max = -INFINITY;
    row.sum = 0;
    for (int d = 0; d < job.head_dim_v; ++d) row.out[d] = 0;
  }
}

float* out_of(const AttentionJob& job, int row) noexcept {
  return job.out + row / job.n_group * job.out_stride +
         static_cast<std::int64_t>(row % job.n_group) * job.head_dim_v;
}

// Adds a block of n positions with f32 rows k and v, [n, dim], to a row.
void add_block(const AttentionJob& job, const float* q, const float* k, const float* v, int n,
               const Row& row) noexcept {
  float scores[kAttentionBlock], new_max = row.max;
  for (int j = 0; j < n; ++j) {
    scores[j] = score(job, q, k + j * job.head_dim_k);
    new_max = scores[j] > new_max ? scores[j] : new_max;
  }
  const float keep = std::exp(row.max - new_max);
  row.max = new_max;
  row.sum *= keep;
  for (int d = 0; d < job.head_dim_v; ++d) row.out[d] *= keep;
  for (int j = 0; j < n; ++j) {
    const float p = std::exp(scores[j] - new_max);
    row.sum += p;
    for (int d = 0; d < job.head_dim_v; ++d) row.out[d] += p * v[j * job.head_dim_v + d];
  }
}

// Adds the positions of a slice that a query sees to its rows.
void add_slice(const AttentionJob& job, int query, int slice, float* partial) noexcept {
  const int last = job.pos + query;
  const int first = job.window > 0 && last >= job.window ? last - job.window + 1 : 0;
  const int begin = attention_slice_begin(slice), end = attention_slice_end(slice);
  float* k = job.scratch;
  float* v = k + kAttentionBlock * job.head_dim_k;
  for (int p = first > begin ? first : begin; p <= last && p < end;) {
    const int block_end = p / kAttentionBlock * kAttentionBlock + kAttentionBlock;
    const int n = (block_end <= last ? block_end : last + 1) - p;
    decode_positions(job.k, p, n, job.head_dim_k, k);
    decode_positions(job.v, p, n, job.head_dim_v, v);
    for (int g = 0; g < job.n_group; ++g) {
      const float* q = job.q + query * job.q_stride + g * job.head_dim_k;
      add_block(job, q, k, v, n, row_of(job, partial, query * job.n_group + g));
    }
    p += n;
  }
}

// Adds a partial to the whole of a row. A partial that saw nothing changes nothing.
void join(const AttentionJob& job, const Row& partial, const Row& whole) noexcept {
  if (partial.max == -INFINITY) return;
  const float max = partial.max > whole.max ? partial.max : whole.max;
  const float keep = std::exp(whole.max - max), weight = std::exp(partial.max - max);
  whole.max = max;
  whole.sum = whole.sum * keep + partial.sum * weight;
  for (int d = 0; d < job.head_dim_v; ++d)
    whole.out[d] = whole.out[d] * keep + partial.out[d] * weight;
}

// Starts a row with nothing but its sink, which has weight exp(0).
void start(const AttentionJob& job, int row, const Row& whole) noexcept {
  whole.max = job.sinks != nullptr ? job.sinks[row % job.n_group] : -INFINITY;
  whole.sum = job.sinks != nullptr ? 1.0F : 0.0F;
  for (int d = 0; d < job.head_dim_v; ++d) whole.out[d] = 0;
}

void finish(const AttentionJob& job, const Row& whole) noexcept {
  for (int d = 0; d < job.head_dim_v; ++d) whole.out[d] /= whole.sum;
}

}  // namespace

void attention_partial(const AttentionJob& job, int slice, float* partial) noexcept {
  clear(job, partial);
  for (int i = 0; i < job.n_queries; ++i) add_slice(job, i, slice, partial);
}

void attention_join(const AttentionJob& job, float* partials, int n_partials) noexcept {
  const int n_rows = job.n_queries * job.n_group;
  const std::size_t n_floats = attention_partial_floats(n_rows, job.head_dim_v);
  for (int i = 0; i < n_rows; ++i) {
    float max = 0, sum = 0;
    const Row whole{max, sum, out_of(job, i)};
    start(job, i, whole);
    for (int p = 0; p < n_partials; ++p) {
      join(job, row_of(job, partials + static_cast<std::size_t>(p) * n_floats, i), whole);
    }
    finish(job, whole);
  }
}

void attention(const AttentionJob& job) noexcept {
  float* partials = job.scratch + kAttentionBlock * (job.head_dim_k + job.head_dim_v);
  for (int i = 0; i < job.n_queries; ++i) {
    AttentionJob one = job;
    one.q += i * job.q_stride;
    one.out += i * job.out_stride;
    one.pos += i;
    one.n_queries = 1;
    const auto whole = [&](int g) {
      const Row row =
          row_of(one, partials + attention_partial_floats(job.n_group, job.head_dim_v), g);
      return Row{row.max, row.sum, out_of(one, g)};
    };
    for (int g = 0; g < job.n_group; ++g) start(one, g, whole(g));
    for (int s = 0; s < kAttentionSlices && attention_slice_begin(s) <= one.pos; ++s) {
      attention_partial(one, s, partials);
      for (int g = 0; g < job.n_group; ++g) join(one, row_of(one, partials, g), whole(g));
    }
    for (int g = 0; g < job.n_group; ++g) finish(one, whole(g));
  }
}

}  // namespace confab::kernels::scalar
