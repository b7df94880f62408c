// SPDX-License-Identifier: MIT
// Attention with a running softmax (Milakov and Gimelshein, arXiv:1805.02867; Dao et al.,
// arXiv:2205.14135): K and V are read once, in order, and no row of scores is ever stored whole.
#include <cmath>

#include "kernels/attention_tile.h"
#include "kernels/scalar/scalar.h"

namespace confab::kernels::scalar {
namespace {

// The f32 rows of positions [begin, begin + n): decoded into `buffer`, [n, dim].
void decode_positions(const KvRows& rows, int begin, int n, int dim, float* buffer) noexcept {
  for (int j = 0; j < n; ++j) {
    const auto block = static_cast<std::size_t>((begin + j) / rows.block_tokens);
    const auto slot = static_cast<std::size_t>((begin + j) % rows.block_tokens);
    const std::byte* row = rows.base + block * rows.block_stride + slot * rows.row_bytes;
    decode_row(rows.dtype, row, dim, buffer + j * dim);
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

// Adds positions with f32 rows k and v [n, dim] to the running softmax of one query head.
void update(const AttentionJob& job, const float* q, const float* k, const float* v, int n,
            float* scores, float& max, float& sum, float* out) noexcept {
  float new_max = max;
  for (int j = 0; j < n; ++j) {
    scores[j] = score(job, q, k + j * job.head_dim_k);
    new_max = scores[j] > new_max ? scores[j] : new_max;
  }
  const float keep = std::exp(max - new_max);
  max = new_max;
  sum *= keep;
  for (int d = 0; d < job.head_dim_v; ++d) out[d] *= keep;
  for (int j = 0; j < n; ++j) {
    const float p = std::exp(scores[j] - new_max);
    sum += p;
    const float* row = v + j * job.head_dim_v;
    for (int d = 0; d < job.head_dim_v; ++d) out[d] += p * row[d];
  }
}

}  // namespace

void attention(const AttentionJob& job) noexcept {
  float* k = job.scratch;
  float* v = k + kAttentionBlock * job.head_dim_k;
  float* scores = v + kAttentionBlock * job.head_dim_v;
  for (int i = 0; i < job.n_queries; ++i) {
    const int last = job.pos + i;
    const int first = job.window > 0 && last >= job.window ? last - job.window + 1 : 0;
    float* max = scores + kAttentionBlock;
    float* sum = max + job.n_group;
    float* out = job.out + i * job.out_stride;
    for (int g = 0; g < job.n_group; ++g) {  // a sink has been seen with weight exp(0)
      max[g] = job.sinks != nullptr ? job.sinks[g] : -INFINITY;
      sum[g] = job.sinks != nullptr ? 1.0F : 0.0F;
    }
    for (int d = 0; d < job.n_group * job.head_dim_v; ++d) out[d] = 0;
    for (int begin = first; begin <= last;) {
      const int block_end = begin / kAttentionBlock * kAttentionBlock + kAttentionBlock;
      const int n = (block_end <= last ? block_end : last + 1) - begin;
      decode_positions(job.k, begin, n, job.head_dim_k, k);
      decode_positions(job.v, begin, n, job.head_dim_v, v);
      for (int g = 0; g < job.n_group; ++g) {
        const float* q = job.q + i * job.q_stride + g * job.head_dim_k;
        update(job, q, k, v, n, scores, max[g], sum[g], out + g * job.head_dim_v);
      }
      begin += n;
    }
    for (int g = 0; g < job.n_group; ++g) {
      for (int d = 0; d < job.head_dim_v; ++d) out[g * job.head_dim_v + d] /= sum[g];
    }
  }
}

}  // namespace confab::kernels::scalar
