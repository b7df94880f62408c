// SPDX-License-Identifier: MIT
// The first two regions of a layer: norm, q, k, v, rotation and the append to the cache; attention.
#include <algorithm>
#include <cmath>

#include "engine/forward_state.h"

namespace confab::engine {
namespace {

// Queries of one KV head that are attended to together: few enough that a prompt makes work for
// the whole team, many enough that K and V are read rarely.
constexpr int kQueryTile = 16;

// Query heads of one KV head that are attended to together: all of most models', but no more, so
// that those with one KV head make work for the whole team too.
constexpr int kGroupHeads = 16;

// How much longer the queries of far positions are (Llama 4's attention temperature tuning).
float temperature(const Hparams& hp, int pos) noexcept {
  const auto length = static_cast<float>(hp.attn_temperature_length);
  const float steps = std::floor(static_cast<float>(pos) / length);
  return 1 + hp.attn_temperature_scale * std::log(1 + steps);
}

}  // namespace

void Forward::State::norm_head(const HeadNorm& norm, int head, float* row, int dim) const noexcept {
  const auto norm_of = hp.norm == NormKind::rms ? kernel.rms_norm : kernel.layer_norm;
  norm_of(row, norm.weight + norm.stride * head, dim, hp.norm_eps, row);
}

// What happens to a query once it is normed: it is rotated, scaled, and turned as the cache keeps
// its keys. The products of the two stay what they were.
void Forward::State::finish_query(float* q, int il, int t) const noexcept {
  const LayerHparams& layer = layer_hparams(il);
  if (layer.rope != kNoRope) rotate(q, layer.rope, t);
  if (hp.attn_temperature_scale != 0) {
    const float scale = temperature(hp, pos + t);
    for (int d = 0; d < layer.head_dim_k; ++d) q[d] *= scale;
  }
  turn(q, layer.head_dim_k, cache.key_rotation(il));
}

void Forward::State::finish_key(float* k, int il, int head, int t) noexcept {
  const LayerHparams& layer = layer_hparams(il);
  if (layer.rope != kNoRope) rotate(k, layer.rope, t);
  turn(k, layer.head_dim_k, cache.key_rotation(il));
  kernel.encode_row(cache.keys(il, head).dtype, k, layer.head_dim_k,
                    cache.key_row(il, head, pos + t));
}

void Forward::State::turn(float* row, std::int64_t n_values, int block) const noexcept {
  if (block > 0) kernel.hadamard(row, n_values, block);
}

void Forward::State::rotate(float* row, int rope, int t) const noexcept {
  const RopeHparams& how = hp.ropes[static_cast<std::size_t>(rope)];
  const std::int64_t angles = std::int64_t{t} * (how.n_rot / 2);
  kernel.rope(row + how.offset, how.n_rot, how.interleaved, buffers.cosines(rope) + angles,
              buffers.sines(rope) + angles);
}

// q = rope(norm(wq x + bias)) of one head, for all tokens.
void Forward::State::query_head(const LayerWeights& w, int il, int head) noexcept {
  const LayerHparams& layer = layer_hparams(il);
  const std::int64_t stride = std::int64_t{layer.n_head} * layer.head_dim_k;
  const std::int64_t row0 = std::int64_t{head} * layer.head_dim_k;
  float* q = buffers.q() + row0;
  project(w.attn_q, hp.attn_gate ? 2 * row0 : row0, layer.head_dim_k, q, stride);
  if (hp.attn_gate) {
    project(w.attn_q, 2 * row0 + layer.head_dim_k, layer.head_dim_k, buffers.gate() + row0, stride);
  }
  for (int t = 0; t < n; ++t) {
    if (hp.qk_norm == QkNorm::head)
      norm_head(w.attn_q_norm, head, q + t * stride, layer.head_dim_k);
    finish_query(q + t * stride, il, t);
  }
}

void Forward::State::key_head(const LayerWeights& w, int il, int head, float* scratch) noexcept {
  const int dim = layer_hparams(il).head_dim_k;
  project(w.attn_k, std::int64_t{head} * dim, dim, scratch, dim);
  for (int t = 0; t < n; ++t) {
    float* k = scratch + std::int64_t{t} * dim;
    if (hp.qk_norm == QkNorm::head) norm_head(w.attn_k_norm, head, k, dim);
    finish_key(k, il, head, t);
  }
}

void Forward::State::value_head(const LayerWeights& w, int il, int head, float* scratch) noexcept {
  const int dim = layer_hparams(il).head_dim_v;
  project(w.attn_v, std::int64_t{head} * dim, dim, scratch, dim);
  const kernels::Dtype dtype = cache.values(il, head).dtype;
  for (int t = 0; t < n; ++t) {
    float* v = scratch + std::int64_t{t} * dim;
    if (hp.v_norm) kernel.rms_norm(v, nullptr, dim, hp.norm_eps, v);
    turn(v, dim, cache.value_rotation(il));
    kernel.encode_row(dtype, v, dim, cache.value_row(il, head, pos + t));
  }
}

// Region: norm, q, k, v, rope, append to the cache. An item is one head.
void Forward::State::query_key_value(const LayerWeights& w, int il) noexcept {
  const LayerHparams& layer = layer_hparams(il);
  pack_normed(w.attn_norm, formats_of({&w.attn_q, &w.attn_k, &w.attn_v}, options.exact));
  if (hp.qk_norm == QkNorm::row) return query_key_rows(w, il);
  const int n_own_heads = layer.kv_layer < 0 ? 2 * layer.n_head_kv : 0;
  pool.parallel_for(layer.n_head + n_own_heads, [&](int item, int worker) {
    float* scratch = buffers.worker(worker);
    if (item < layer.n_head) {
      query_head(w, il, item);
    } else if (item < layer.n_head + layer.n_head_kv) {
      key_head(w, il, item - layer.n_head, scratch);
    } else {
      value_head(w, il, item - layer.n_head - layer.n_head_kv, scratch);
    }
  });
}

// The same for models that norm the queries and keys of all heads as one row: no head can be
// rotated before all are there, so this takes two regions.
void Forward::State::query_key_rows(const LayerWeights& w, int il) noexcept {
  const LayerHparams& layer = layer_hparams(il);
  const int dim = layer.head_dim_k;
  const std::int64_t n_q = w.attn_q.n_rows, n_k = w.attn_k.n_rows;
  pool.parallel_for(layer.n_head + 2 * layer.n_head_kv, [&](int item, int worker) {
    const int head_kv = item - layer.n_head;
    if (item < layer.n_head) {
      project(w.attn_q, std::int64_t{item} * dim, dim, buffers.q() + item * dim, n_q);
    } else if (head_kv < layer.n_head_kv) {
      project(w.attn_k, std::int64_t{head_kv} * dim, dim, buffers.k() + head_kv * dim, n_k);
    } else {
      value_head(w, il, head_kv - layer.n_head_kv, buffers.worker(worker));
    }
  });
  for_each_token([&](int t, int) {
    float* q = buffers.q() + t * n_q;
    float* k = buffers.k() + t * n_k;
    norm_head(w.attn_q_norm, 0, q, static_cast<int>(n_q));
    norm_head(w.attn_k_norm, 0, k, static_cast<int>(n_k));
    for (int head = 0; head < layer.n_head; ++head) finish_query(q + head * dim, il, t);
    for (int head = 0; head < layer.n_head_kv; ++head) finish_key(k + head * dim, il, head, t);
  });
}

// Region: att = softmax(q k scale) v. An item is one KV head, with query heads that share it, and a
// tile of queries.
void Forward::State::attention(const LayerWeights& w, int il) noexcept {
  const LayerHparams& layer = layer_hparams(il);
  const int n_tiles = (n + kQueryTile - 1) / kQueryTile;
  const int n_shared = layer.n_head / layer.n_head_kv;
  const int n_parts = (n_shared + kGroupHeads - 1) / kGroupHeads;
  const std::int64_t q_stride = std::int64_t{layer.n_head} * layer.head_dim_k;
  const std::int64_t out_stride = std::int64_t{layer.n_head} * layer.head_dim_v;
  const int n_groups = layer.n_head_kv * n_parts;
  pool.parallel_for(n_groups * n_tiles, [&](int item, int worker) {
    // The last tiles see the most keys, so they go first.
    const int head_kv = item % n_groups / n_parts, part = item % n_parts;
    const int t = (n_tiles - 1 - item / n_groups) * kQueryTile;
    const std::int64_t head = std::int64_t{head_kv} * n_shared + part * kGroupHeads;
    const int n_group = std::min(kGroupHeads, n_shared - part * kGroupHeads);
    const int n_queries = std::min(kQueryTile, n - t);
    float* out = buffers.att() + t * out_stride + head * layer.head_dim_v;
    kernel.attention({.q = buffers.q() + t * q_stride + head * layer.head_dim_k,
                      .q_stride = q_stride,
                      .out = out,
                      .out_stride = out_stride,
                      .n_queries = n_queries,
                      .n_group = n_group,
                      .head_dim_k = layer.head_dim_k,
                      .head_dim_v = layer.head_dim_v,
                      .pos = pos + t,
                      .window = layer.window,
                      .scale = hp.score_scale(layer),
                      .softcap = hp.attn_softcap,
                      .sinks = w.attn_sinks == nullptr ? nullptr : w.attn_sinks + head,
                      .k = cache.keys(il, head_kv),
                      .v = cache.values(il, head_kv),
                      .scratch = buffers.worker(worker)});
    const std::int64_t n_values = std::int64_t{n_group} * layer.head_dim_v;
    for (int i = 0; i < n_queries; ++i, out += out_stride) {
      turn(out, n_values, cache.value_rotation(il));  // undoes the turn of the values
      if (hp.attn_gate)
        kernel.sigmoid_mul(buffers.gate() + (out - buffers.att()), out, n_values, out);
    }
  });
}

}  // namespace confab::engine
