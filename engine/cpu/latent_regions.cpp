// SPDX-License-Identifier: MIT
// The regions of multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1). The
// cache keeps one row per token, [latent | rotated key], which all heads share. The matrices that
// expand a latent to a head's keys and values are applied to the queries and to the attention
// output instead (section 2.1.2): q k = q (K_b c) = (K_b^T q) c, so a latent serves every head as
// key and value.
#include "engine/cpu/latent_regions.h"

#include <algorithm>
#include <cassert>

#include "engine/cpu/attention_regions.h"
#include "engine/cpu/forward_state.h"

namespace confab::engine {
namespace {

struct Rows {  // a row of floats per token
  float* data;
  std::int64_t stride;
};

// k = kv_a x, then q_latent = the first n_q rows of q_a x, computed as if they were one matrix.
void project_latents(ForwardState& s, const LatentWeights& l, std::int64_t n_q) noexcept {
  const std::int64_t n_kv = l.kv_a.n_rows;
  s.for_each_slice(n_kv + n_q, [&](std::int64_t row0, std::int64_t n_rows, int) {
    const std::int64_t n_of_kv = std::clamp<std::int64_t>(n_kv - row0, 0, n_rows);
    if (n_of_kv > 0) s.project(l.kv_a, row0, n_of_kv, s.buffers.k() + row0, n_kv);
    if (n_of_kv == n_rows) return;
    const std::int64_t q0 = std::max<std::int64_t>(row0 - n_kv, 0);
    s.project(l.q_a, q0, n_rows - n_of_kv, s.buffers.q_latent() + q0, n_q);
  });
}

// out = m x for each token's row of x. `scratch` holds one packed row per token.
void project_rows(ForwardState& s, const Matrix& m, Rows x, Rows out, float* scratch) noexcept {
  const auto n_cols = m.rows.n_cols;
  const kernels::ActFormat format = kernels::act_format(m.rows.dtype, s.options.exact);
  const std::size_t row_bytes = kernels::act_row_bytes(format, n_cols);
  auto* packed = reinterpret_cast<std::byte*>(scratch);
  for (int t = 0; t < s.n; ++t) {
    s.kernel.pack_row(format, x.data + t * x.stride, n_cols,
                      packed + row_bytes * static_cast<std::size_t>(t));
  }
  s.project(m, {0, m.n_rows}, {format, packed, s.n, row_bytes}, out.data, out.stride);
}

// out = K_b^T q for one head, if the file stores K_b itself: a weighted sum of its rows. Each row
// is decoded once for all tokens. `scratch` holds one row.
void absorb_rows(ForwardState& s, const Matrix& k_b, Rows q, Rows out, float* scratch) noexcept {
  const int rank = s.hp.latent.kv_rank;
  for (int t = 0; t < s.n; ++t) std::fill_n(out.data + t * out.stride, rank, 0.0F);
  for (std::int64_t i = 0; i < k_b.n_rows; ++i) {
    s.kernel.decode_weights(k_b.rows, i, scratch);
    for (int t = 0; t < s.n; ++t) {
      const float weight = k_b.scale * q.data[t * q.stride + i];
      s.kernel.add_scaled(scratch, rank, weight, out.data + t * out.stride);
    }
  }
}

// q = [K_b^T q_nope | rope(q_rope)] for one head and all tokens. `scratch` is a worker's own.
void latent_query_head(ForwardState& s, const LayerPlan& layer, int head, float* scratch) noexcept {
  const LayerWeights& w = layer.weights;
  const int dim_k = layer.shape.head_dim_k;
  const int nope = s.hp.latent.head_dim_nope, n_rot = s.hp.ropes[0].n_rot, dim = nope + n_rot;
  const std::int64_t stride = std::int64_t{layer.shape.n_head} * dim_k;
  float* out = s.buffers.q() + std::int64_t{head} * dim_k;
  s.project(w.attn_q, std::int64_t{head} * dim, dim, scratch, dim);
  const Matrix& k_b = w.latent.k_b[static_cast<std::size_t>(head)];
  const Rows q{scratch, dim}, absorbed{out, stride};
  float* rest = scratch + std::int64_t{s.n} * dim;
  w.latent.k_b_transposed ? absorb_rows(s, k_b, q, absorbed, rest)
                          : project_rows(s, k_b, q, absorbed, rest);
  for (int t = 0; t < s.n; ++t, out += stride) {
    std::copy_n(scratch + std::int64_t{t} * dim + nope, n_rot, out + s.hp.latent.kv_rank);
    finish_query(s, layer, out, t);
  }
}

void norm_key(ForwardState& s, const LayerPlan& layer, int t) noexcept {
  const LatentWeights& l = layer.weights.latent;
  float* k = s.buffers.k() + t * l.kv_a.n_rows;
  s.kernel.rms_norm(k, l.kv_a_norm, s.hp.latent.kv_rank, s.hp.norm_eps, k);
  finish_key(s, layer, k, {0, t});
}

}  // namespace

// Regions: norm and projection to the latents; the cache row and the normed latent of the queries;
// queries. An item of the last region is one head.
void latent_query_key(ForwardState& s, const LayerPlan& layer) noexcept {
  const LayerWeights& w = layer.weights;
  const LatentWeights& l = w.latent;
  const bool has_q_latent = s.hp.latent.q_rank > 0;
  assert(l.kv_a.n_rows == layer.shape.head_dim_k && l.q_a.n_rows == s.hp.latent.q_rank);
  s.pack_normed(layer.mixer_input,
                formats_of({has_q_latent ? &l.q_a : &w.attn_q, &l.kv_a}, s.options.exact));
  project_latents(s, l, l.q_a.n_rows);
  const ActFormats q_formats = formats_of({&w.attn_q}, s.options.exact);
  s.for_each_token([&](int t, int) {
    norm_key(s, layer, t);
    if (!has_q_latent) return;
    float* q = s.buffers.q_latent() + t * l.q_a.n_rows;
    s.kernel.rms_norm(q, l.q_a_norm, s.hp.latent.q_rank, s.hp.norm_eps, q);
    s.pack(q, s.hp.latent.q_rank, t, q_formats);
  });
  s.pool.parallel_for(layer.shape.n_head, [&](int head, int worker) {
    latent_query_head(s, layer, head, s.buffers.worker(worker));
  });
}

void latent_key(ForwardState& s, const LayerPlan& layer) noexcept {
  const LatentWeights& l = layer.weights.latent;
  s.pack_normed(layer.mixer_input, formats_of({&l.kv_a}, s.options.exact));
  project_latents(s, l, 0);
  s.for_each_token([&](int t, int) { norm_key(s, layer, t); });
}

// Region: q = V_b att for each head, [n, n_head, head_dim_v]. Overwrites the queries, which are no
// longer needed.
void latent_values(ForwardState& s, const LayerPlan& layer) noexcept {
  const std::vector<Matrix>& v_b = layer.weights.latent.v_b;
  const std::int64_t n_head = layer.shape.n_head, rank = s.hp.latent.kv_rank;
  const std::int64_t dim = s.hp.latent.head_dim_v;
  s.pool.parallel_for(static_cast<int>(n_head), [&](int head, int worker) {
    project_rows(s, v_b[static_cast<std::size_t>(head)],
                 {s.buffers.att() + head * rank, n_head * rank},
                 {s.buffers.q() + head * dim, n_head * dim}, s.buffers.worker(worker));
  });
}

}  // namespace confab::engine
