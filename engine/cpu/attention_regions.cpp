// SPDX-License-Identifier: MIT
// The attention regions of a layer: norm, q, k, v, rotation and the append to the cache; then
// attention itself.
#include "engine/cpu/attention_regions.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/cpu/forward_state.h"
#include "kernels/attention_tile.h"

namespace confab::engine {
namespace {

// Enough items per thread to keep all threads busy to the end.
constexpr int kItemsOfAThread = 4;
// A tile with fewer rows (one per query and head) does not pay for unpacking K and V.
constexpr int kFewRows = 16;

// The factor by which queries grow with their position (Llama 4's attention temperature tuning).
float temperature(const Hparams& hp, int pos) noexcept {
  const auto length = static_cast<float>(hp.attn_temperature_length);
  const float steps = std::floor(static_cast<float>(pos) / length);
  return 1 + hp.attn_temperature_scale * std::log(1 + steps);
}

void norm_head(const ForwardState& s, const HeadNorm& norm, int head, float* row,
               int dim) noexcept {
  const auto norm_of = s.hp.norm == NormKind::rms ? s.kernel.rms_norm : s.kernel.layer_norm;
  norm_of(row, norm.weight + norm.stride * head, dim, s.hp.norm_eps, row);
}

// Multiplies each `block` values by the Hadamard matrix, as the cache wants it; 0: does nothing.
void turn(const ForwardState& s, float* row, std::int64_t n_values, int block) noexcept {
  if (block > 0) s.kernel.hadamard(row, n_values, block);
}

void rotate(const ForwardState& s, float* row, int rope, int t) noexcept {
  const RopeHparams& how = s.hp.ropes[static_cast<std::size_t>(rope)];
  const std::int64_t angles = std::int64_t{t} * (how.n_rot / 2);
  s.kernel.rope(row + how.offset, how.n_rot, how.interleaved, s.buffers.cosines(rope) + angles,
                s.buffers.sines(rope) + angles);
}

// q = rope(norm(wq x + bias)) of one head, for all tokens.
void query_head(ForwardState& s, const LayerPlan& layer, int head) noexcept {
  const LayerWeights& w = layer.weights;
  const int dim = layer.shape.head_dim_k;
  const std::int64_t stride = std::int64_t{layer.shape.n_head} * dim;
  const std::int64_t row0 = std::int64_t{head} * dim;
  float* q = s.buffers.q() + row0;
  s.project(w.attn_q, s.hp.attn_gate ? 2 * row0 : row0, dim, q, stride);
  if (s.hp.attn_gate) s.project(w.attn_q, 2 * row0 + dim, dim, s.buffers.gate() + row0, stride);
  for (int t = 0; t < s.n; ++t) {
    if (s.hp.qk_norm == QkNorm::head) norm_head(s, w.attn_q_norm, head, q + t * stride, dim);
    finish_query(s, layer, q + t * stride, t);
  }
}

void key_head(ForwardState& s, const LayerPlan& layer, int head, float* scratch) noexcept {
  const LayerWeights& w = layer.weights;
  const int dim = layer.shape.head_dim_k;
  s.project(w.attn_k, std::int64_t{head} * dim, dim, scratch, dim);
  for (int t = 0; t < s.n; ++t) {
    float* k = scratch + std::int64_t{t} * dim;
    if (s.hp.qk_norm == QkNorm::head) norm_head(s, w.attn_k_norm, head, k, dim);
    finish_key(s, layer, k, {head, t});
  }
}

void value_head(ForwardState& s, const LayerPlan& layer, int head, float* scratch) noexcept {
  const int il = layer.il, dim = layer.shape.head_dim_v;
  s.project(layer.weights.attn_v, std::int64_t{head} * dim, dim, scratch, dim);
  const KvLayout::Layer& kept = s.layout().layer(il);
  for (int t = 0; t < s.n; ++t) {
    float* v = scratch + std::int64_t{t} * dim;
    if (s.hp.v_norm) s.kernel.rms_norm(v, nullptr, dim, s.hp.norm_eps, v);
    turn(s, v, dim, kept.rotations.values);
    s.kernel.encode_row(kept.v.dtype, v, dim, s.cache(t).value_row(il, head, s.pos(t)));
  }
}

// For models that norm all heads of a query or key as one row. No head can be rotated before all
// are computed, so this takes two regions.
void query_key_rows(ForwardState& s, const LayerPlan& layer) noexcept {
  const LayerWeights& w = layer.weights;
  const int n_head = layer.shape.n_head, n_head_kv = layer.shape.n_head_kv;
  const int dim = layer.shape.head_dim_k;
  const std::int64_t n_q = w.attn_q.n_rows, n_k = w.attn_k.n_rows;
  s.pool.parallel_for(n_head + 2 * n_head_kv, [&](int item, int worker) {
    const int head_kv = item - n_head;
    if (item < n_head) {
      s.project(w.attn_q, std::int64_t{item} * dim, dim, s.buffers.q() + item * dim, n_q);
    } else if (head_kv < n_head_kv) {
      s.project(w.attn_k, std::int64_t{head_kv} * dim, dim, s.buffers.k() + head_kv * dim, n_k);
    } else {
      value_head(s, layer, head_kv - n_head_kv, s.buffers.worker(worker));
    }
  });
  s.for_each_token([&](int t, int) {
    float* q = s.buffers.q() + t * n_q;
    float* k = s.buffers.k() + t * n_k;
    norm_head(s, w.attn_q_norm, 0, q, static_cast<int>(n_q));
    norm_head(s, w.attn_k_norm, 0, k, static_cast<int>(n_k));
    for (int head = 0; head < n_head; ++head) finish_query(s, layer, q + head * dim, t);
    for (int head = 0; head < n_head_kv; ++head) finish_key(s, layer, k + head * dim, {head, t});
  });
}

// How the attention of a layer is cut into items: one per group of query heads that share a KV
// head.
struct HeadGroups {
  int n_groups;
  int n_group;  // heads of the largest group
};

HeadGroups head_groups(const LayerHparams& layer) noexcept {
  const int n_shared = layer.n_head / layer.n_head_kv;
  return {layer.n_head_kv * count_slices(n_shared, kernels::kAttentionGroup),
          std::min(n_shared, kernels::kAttentionGroup)};
}

int most_queries(const LayerHparams& layer) noexcept {
  return kernels::attention_tile_queries(head_groups(layer).n_group, layer.head_dim_k,
                                         layer.head_dim_v);
}

// Slices of positions, used if a few queries of one sequence would leave threads idle. n == 0: the
// positions are not cut.
struct Slices {
  int first = 0, n = 0;
};

Slices cut_positions(const ForwardState& s, const RunPart& part,
                     const LayerHparams& layer) noexcept {
  const int n_wanted = kItemsOfAThread * s.pool.n_threads();
  if (part.n != s.n || part.n > most_queries(layer) || s.pool.n_threads() == 1 ||
      head_groups(layer).n_groups >= n_wanted) {
    return {};
  }
  const int seen = layer.window > 0 ? std::max(0, part.pos - layer.window + 1) : 0;
  const int first = kernels::attention_slice_of(seen);
  const int n = kernels::attention_slice_of(part.pos + part.n - 1) - first + 1;
  return n > 1 && part.n * n <= kernels::kAttentionSlices ? Slices{first, n} : Slices{};
}

// Cuts the queries of all parts; returns the number of items.
int cut_queries(ForwardState& s, const LayerHparams& layer) noexcept {
  const HeadGroups groups = head_groups(layer);
  const int most = most_queries(layer);
  const auto share = static_cast<int>(std::int64_t{s.n} * groups.n_groups /
                                      (kItemsOfAThread * s.pool.n_threads()));
  const int tile = std::clamp(share, std::min(most, count_slices(kFewRows, groups.n_group)), most);
  int n_items = 0;
  for (RunPart& part : s.parts) {
    part.tile = tile;
    part.first_item = n_items;
    n_items += groups.n_groups * count_slices(part.n, tile);
  }
  return n_items;
}

// Some queries of a part, for one group of heads.
struct JobOf {
  const RunPart& part;
  int group;
  RowSlice queries;
};

// The result goes to buffers.att().
kernels::AttentionJob attention_job(const ForwardState& s, const LayerPlan& plan,
                                    const JobOf& of) noexcept {
  const LayerHparams& layer = plan.shape;
  const float* sinks = plan.weights.attn_sinks;
  const int n_shared = layer.n_head / layer.n_head_kv;
  const int n_partials = count_slices(n_shared, kernels::kAttentionGroup);
  const RowSlice heads = slice_of(of.group % n_partials, kernels::kAttentionGroup, n_shared);
  const int head_kv = of.group / n_partials;
  const std::int64_t head = std::int64_t{head_kv} * n_shared + heads.row0;
  const std::int64_t q_stride = std::int64_t{layer.n_head} * layer.head_dim_k;
  const std::int64_t out_stride = std::int64_t{layer.n_head} * layer.head_dim_v;
  const std::int64_t row = of.part.first + of.queries.row0;
  return {.q = s.buffers.q() + row * q_stride + head * layer.head_dim_k,
          .q_stride = q_stride,
          .out = s.buffers.att() + row * out_stride + head * layer.head_dim_v,
          .out_stride = out_stride,
          .n_queries = static_cast<int>(of.queries.n_rows),
          .n_group = static_cast<int>(heads.n_rows),
          .head_dim_k = layer.head_dim_k,
          .head_dim_v = layer.head_dim_v,
          .pos = of.part.pos + static_cast<int>(of.queries.row0),
          .window = layer.window,
          .scale = s.hp.score_scale(layer),
          .softcap = s.hp.attn_softcap,
          .sinks = sinks == nullptr ? nullptr : sinks + head,
          .k = of.part.cache->keys(plan.il, head_kv),
          .v = of.part.cache->values(plan.il, head_kv),
          .scratch = nullptr};
}

// Undoes the Hadamard rotation of the values in a job's output and applies the gates.
void finish_attention(const ForwardState& s, const kernels::AttentionJob& job, int il) noexcept {
  const std::int64_t n_values = std::int64_t{job.n_group} * job.head_dim_v;
  float* out = job.out;
  for (int i = 0; i < job.n_queries; ++i, out += job.out_stride) {
    turn(s, out, n_values, s.layout().layer(il).rotations.values);
    if (s.hp.attn_gate)
      s.kernel.sigmoid_mul(s.buffers.gate() + (out - s.buffers.att()), out, n_values, out);
  }
}

void attention_by_slices(ForwardState& s, const LayerPlan& layer, const RunPart& part,
                         Slices slices) noexcept {
  const int n_groups = head_groups(layer.shape).n_groups;
  const auto partial_of = [&](const kernels::AttentionJob& job, int group, int slice) {
    const std::size_t n_floats =
        kernels::attention_partial_floats(job.n_queries * job.n_group, job.head_dim_v);
    return s.buffers.attention_partials(group) + static_cast<std::size_t>(slice) * n_floats;
  };
  s.pool.parallel_for(n_groups * slices.n, [&](int item, int worker) {
    const int group = item % n_groups, slice = item / n_groups;
    kernels::AttentionJob job = attention_job(s, layer, {part, group, {0, part.n}});
    job.scratch = s.buffers.worker(worker);
    s.kernel.attention_partial(job, slices.first + slice, partial_of(job, group, slice));
  });
  for (int group = 0; group < n_groups; ++group) {
    kernels::AttentionJob job = attention_job(s, layer, {part, group, {0, part.n}});
    job.scratch = s.buffers.worker(0);
    s.kernel.attention_join(job, partial_of(job, group, 0), slices.n);
    finish_attention(s, job, layer.il);
  }
}

// The part that contains this item. Parts without queries contain no items.
const RunPart& part_of(const ForwardState& s, int item) noexcept {
  const RunPart* found = &s.parts.front();
  for (const RunPart& part : s.parts)
    if (part.n > 0 && part.first_item <= item) found = &part;
  return *found;
}

// Projects the keys and values of all heads, and the queries of the first n_head heads.
void project_heads(ForwardState& s, const LayerPlan& layer, int n_head) noexcept {
  const LayerWeights& w = layer.weights;
  const int n_head_kv = layer.shape.n_head_kv;
  s.pack_normed(layer.mixer_input, formats_of({&w.attn_q, &w.attn_k, &w.attn_v}, s.options.exact));
  if (s.hp.qk_norm == QkNorm::row) return query_key_rows(s, layer);
  const int n_own_heads = layer.has_own_keys() ? 2 * n_head_kv : 0;
  s.pool.parallel_for(n_head + n_own_heads, [&](int item, int worker) {
    float* scratch = s.buffers.worker(worker);
    if (item < n_head) {
      query_head(s, layer, item);
    } else if (item < n_head + n_head_kv) {
      key_head(s, layer, item - n_head, scratch);
    } else {
      value_head(s, layer, item - n_head - n_head_kv, scratch);
    }
  });
}

}  // namespace

void finish_query(const ForwardState& s, const LayerPlan& layer, float* q, int t) noexcept {
  const LayerHparams& shape = layer.shape;
  if (shape.rope != kNoRope) rotate(s, q, shape.rope, t);
  if (s.hp.attn_temperature_scale != 0) {
    const float scale = temperature(s.hp, s.pos(t));
    for (int d = 0; d < shape.head_dim_k; ++d) q[d] *= scale;
  }
  turn(s, q, shape.head_dim_k, s.layout().layer(layer.il).rotations.keys);
}

void finish_key(ForwardState& s, const LayerPlan& layer, float* k, KeyAt at) noexcept {
  const LayerHparams& shape = layer.shape;
  if (shape.rope != kNoRope) rotate(s, k, shape.rope, at.t);
  turn(s, k, shape.head_dim_k, s.layout().layer(layer.il).rotations.keys);
  s.kernel.encode_row(s.layout().layer(layer.il).k.dtype, k, shape.head_dim_k,
                      s.cache(at.t).key_row(layer.il, at.head, s.pos(at.t)));
}

// Region: norm, q, k, v, RoPE, append to the cache. An item is one head.
void query_key_value(ForwardState& s, const LayerPlan& layer) noexcept {
  assert(layer.weights.attn_q.n_rows ==
         std::int64_t{layer.shape.n_head} * layer.shape.head_dim_k * (s.hp.attn_gate ? 2 : 1));
  project_heads(s, layer, layer.shape.n_head);
}

void key_value(ForwardState& s, const LayerPlan& layer) noexcept {
  assert(layer.has_own_keys());
  project_heads(s, layer, 0);
}

// Region: att = softmax(q k scale) v. An item is a group of heads with either a tile of a
// sequence's queries or a slice of positions.
void attention(ForwardState& s, const LayerPlan& layer) noexcept {
  const auto first = std::ranges::find_if(s.parts, [](const RunPart& part) { return part.n > 0; });
  const Slices slices = cut_positions(s, *first, layer.shape);
  if (slices.n > 0) return attention_by_slices(s, layer, *first, slices);
  const int n_groups = head_groups(layer.shape).n_groups;
  s.pool.parallel_for(cut_queries(s, layer.shape), [&](int item, int worker) {
    const RunPart& part = part_of(s, item);
    item -= part.first_item;
    // The last tiles see the most keys, so they go first.
    const int n_tiles = count_slices(part.n, part.tile);
    const RowSlice queries = slice_of(n_tiles - 1 - item / n_groups, part.tile, part.n);
    kernels::AttentionJob job = attention_job(s, layer, {part, item % n_groups, queries});
    job.scratch = s.buffers.worker(worker);
    s.kernel.attention(job);
    finish_attention(s, job, layer.il);
  });
}

}  // namespace confab::engine
