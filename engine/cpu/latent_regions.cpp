// SPDX-License-Identifier: MIT
// The regions of multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1). The
// cache keeps one row a token, [latent | rotated key], for all heads. What expands a latent to a
// head's keys and values is moved over to the queries and to what they attend to (section 2.1.2):
// with q k = q (K_b c) = (K_b^T q) c, a latent is key and value of every head as it is.
#include <algorithm>

#include "engine/cpu/forward_state.h"

namespace confab::engine {

// Regions: norm and projection to the latents; the row of the cache, and the latent of the queries
// normed; queries. An item of the last is one head.
void Forward::State::latent_query_key(const LayerWeights& w, int il) noexcept {
  const LatentWeights& l = w.latent;
  const bool has_q_latent = hp.latent.q_rank > 0;
  pack_normed(w.attn_norm, formats_of({has_q_latent ? &l.q_a : &w.attn_q, &l.kv_a}, options.exact));
  project_latents(l);
  const ActFormats q_formats = formats_of({&w.attn_q}, options.exact);
  for_each_token([&](int t, int) {
    float* k = buffers.k() + t * l.kv_a.n_rows;
    kernel.rms_norm(k, l.kv_a_norm, hp.latent.kv_rank, hp.norm_eps, k);
    finish_key(k, il, 0, t);
    if (!has_q_latent) return;
    float* q = buffers.q_latent() + t * l.q_a.n_rows;
    kernel.rms_norm(q, l.q_a_norm, hp.latent.q_rank, hp.norm_eps, q);
    pack(q, hp.latent.q_rank, t, q_formats);
  });
  pool.parallel_for(layer_hparams(il).n_head, [&](int head, int worker) {
    latent_query_head(w, il, head, buffers.worker(worker));
  });
}

// k = kv_a x, then q_latent = q_a x, as if they were one matrix.
void Forward::State::project_latents(const LatentWeights& l) noexcept {
  const std::int64_t n_kv = l.kv_a.n_rows, n_q = l.q_a.n_rows;
  for_each_slice(n_kv + n_q, [&](std::int64_t row0, std::int64_t n_rows, int) {
    const std::int64_t n_of_kv = std::clamp<std::int64_t>(n_kv - row0, 0, n_rows);
    if (n_of_kv > 0) project(l.kv_a, row0, n_of_kv, buffers.k() + row0, n_kv);
    if (n_of_kv == n_rows) return;
    const std::int64_t q0 = std::max<std::int64_t>(row0 - n_kv, 0);
    project(l.q_a, q0, n_rows - n_of_kv, buffers.q_latent() + q0, n_q);
  });
}

// q = [K_b^T q_nope | rope(q_rope)] of one head, for all tokens. scratch: latent_scratch_floats().
void Forward::State::latent_query_head(const LayerWeights& w, int il, int head,
                                       float* scratch) noexcept {
  const LayerHparams& layer = layer_hparams(il);
  const int nope = hp.latent.head_dim_nope, n_rot = hp.ropes[0].n_rot, dim = nope + n_rot;
  const std::int64_t stride = std::int64_t{layer.n_head} * layer.head_dim_k;
  float* out = buffers.q() + std::int64_t{head} * layer.head_dim_k;
  project(w.attn_q, std::int64_t{head} * dim, dim, scratch, dim);
  const Matrix& k_b = w.latent.k_b[static_cast<std::size_t>(head)];
  const Rows q{scratch, dim}, absorbed{out, stride};
  float* rest = scratch + std::int64_t{n} * dim;
  w.latent.k_b_transposed ? absorb_rows(k_b, q, absorbed, rest)
                          : project_rows(k_b, q, absorbed, rest);
  for (int t = 0; t < n; ++t, out += stride) {
    std::copy_n(scratch + std::int64_t{t} * dim + nope, n_rot, out + hp.latent.kv_rank);
    finish_query(out, il, t);
  }
}

// out = m x for each token's row of x. scratch: a packed row a token.
void Forward::State::project_rows(const Matrix& m, Rows x, Rows out, float* scratch) noexcept {
  const auto n_cols = m.rows.n_cols;
  const kernels::ActFormat format = kernels::act_format(m.rows.dtype, options.exact);
  const std::size_t row_bytes = kernels::act_row_bytes(format, n_cols);
  auto* packed = reinterpret_cast<std::byte*>(scratch);
  for (int t = 0; t < n; ++t) {
    kernel.pack_row(format, x.data + t * x.stride, n_cols,
                    packed + row_bytes * static_cast<std::size_t>(t));
  }
  project(m, {0, m.n_rows}, {format, packed, n, row_bytes}, out.data, out.stride);
}

// out = K_b^T q of one head where the file has K_b: a sum of its rows. Each is decoded once for all
// tokens. scratch: one row.
void Forward::State::absorb_rows(const Matrix& k_b, Rows q, Rows out, float* scratch) noexcept {
  const int rank = hp.latent.kv_rank;
  const std::byte* row = k_b.rows.data;
  for (int t = 0; t < n; ++t) std::fill_n(out.data + t * out.stride, rank, 0.0F);
  for (std::int64_t i = 0; i < k_b.n_rows; ++i, row += k_b.rows.row_bytes) {
    kernel.decode_row(k_b.rows.dtype, row, rank, scratch);
    for (int t = 0; t < n; ++t) {
      const float weight = k_b.scale * q.data[t * q.stride + i];
      kernel.add_scaled(scratch, rank, weight, out.data + t * out.stride);
    }
  }
}

// Region: q = V_b att of each head, [n, n_head, head_dim_v]; the queries have done their work.
void Forward::State::latent_values(const LatentWeights& l, int il) noexcept {
  const std::int64_t n_head = layer_hparams(il).n_head, rank = hp.latent.kv_rank;
  const std::int64_t dim = hp.latent.head_dim_v;
  pool.parallel_for(static_cast<int>(n_head), [&](int head, int worker) {
    project_rows(l.v_b[static_cast<std::size_t>(head)],
                 {buffers.att() + head * rank, n_head * rank},
                 {buffers.q() + head * dim, n_head * dim}, buffers.worker(worker));
  });
}

}  // namespace confab::engine
