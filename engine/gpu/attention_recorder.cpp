// SPDX-License-Identifier: MIT
// Records the attention half of a layer.
//
// In passes of a few rows, the attention program also does the norms, the rotations and the writes
// to the cache. In larger passes a separate program does these, because otherwise each row would
// repeat the work for all rows before it.
#include <algorithm>
#include <bit>
#include <utility>

#include "engine/gpu/pass_recorder.h"
#include "engine/model/hparams.h"

namespace confab::engine {

using kernels::vulkan::Shader;

namespace {

// Limits on the heads of an attention workgroup, and on their values, set by the size of shared
// memory.
constexpr int kMostGroup = 8, kMostGroupValues = 1024;
// Limits for workgroups that also prepare the heads. Fewer heads finish sooner, but keys are read
// once per group. So a workgroup takes the fewest heads with which there are at most this many
// workgroups. Measured on an H200, one layer of Qwen3 30B-A3B took 20 us with 8 heads, 16 us with
// 4, and 13 us with one; in deep contexts 4 were fastest.
constexpr int kMostGroupMade = 4, kMostGroupValuesMade = 512;
constexpr std::uint32_t kBusyWorkgroups = 128;
// The most values of a pass's own keys and values that a workgroup can hold.
constexpr int kMostFreshValues = 2048;

// the most columns of a head that tiles of queries have room for
constexpr int kMostTiledDim = 256;

std::uint64_t bytes_of_position(const KvLayout::Layer& kept) {
  return static_cast<std::uint64_t>(kept.n_head_kv) * (kept.k.row_bytes + kept.v.row_bytes);
}

}  // namespace

std::vector<std::uint32_t> PassRecorder::heads_constants(const GpuLayer& layer,
                                                         std::uint32_t n_invocations) const {
  const LayerHparams& shape = layer.plan->shape;
  const KvLayout::Layer& kept = pool_.layout().layer(layer.plan->il);
  const RopeHparams rope =
      shape.rope == kNoRope ? RopeHparams{} : hp_.ropes[static_cast<std::size_t>(shape.rope)];
  const std::uint32_t norm = hp_.qk_norm != QkNorm::head ? 0 : hp_.norm == NormKind::rms ? 1 : 2;
  const LayerWeights& w = layer.plan->weights;
  const auto bits = [](double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); };
  return {n_invocations,
          u32(kept.k.dtype),
          u32(kept.v.dtype),
          u32(shape.head_dim_k),
          u32(shape.head_dim_v),
          u32(shape.n_head),
          u32(shape.n_head_kv),
          u32(kept.rotations.keys),
          u32(kept.rotations.values),
          u32(rope.n_rot),
          u32(rope.offset),
          rope.interleaved ? 1U : 0U,
          norm,
          hp_.v_norm ? 1U : 0U,
          u32(w.attn_q_norm.stride),
          u32(w.attn_k_norm.stride),
          bits(hp_.norm_eps),
          bits(hp_.attn_temperature_scale),
          bits(hp_.attn_temperature_length)};
}

std::vector<std::uint32_t> PassRecorder::attention_constants(const GpuLayer& layer,
                                                             std::uint32_t n_invocations,
                                                             std::uint32_t own) const {
  const LayerHparams& shape = layer.plan->shape;
  std::vector<std::uint32_t> constants = heads_constants(layer, n_invocations);
  constants.insert(constants.end(),
                   {own, layer.out.reads_floats() ? 0U : 1U,
                    std::bit_cast<std::uint32_t>(hp_.score_scale(shape)),
                    std::bit_cast<std::uint32_t>(hp_.attn_softcap), u32(shape.window)});
  return constants;
}

HeadsArguments PassRecorder::heads_arguments(const GpuLayer& layer) const {
  const LayerHparams& shape = layer.plan->shape;
  const KvLayout::Layer& kept = pool_.layout().layer(layer.plan->il);
  const std::uint64_t device = b_.device.address(), both = b_.shared.address();
  const auto units = [](std::uint64_t at, std::uint64_t from) {
    return at == 0 ? 0 : u32((at - from) / 16);
  };
  const auto of_device = [&](std::uint64_t at) { return units(at, device); };
  const GpuPacked to =
      layer.out.reads_floats() ? GpuPacked{.codes = b_.attended.floats} : b_.attended.packed;
  const std::uint64_t angles =
      shape.rope == kNoRope ? 0 : b_.angles_at[static_cast<std::size_t>(shape.rope)];
  return {.device = device,
          .both = both,
          .q_norm = layer.q_norm,
          .k_norm = layer.k_norm,
          .sinks = layer.sinks,
          .rows = units(b_.rows_at, both),
          .tables = units(b_.tables_at, both),
          .angles = units(angles, both),
          .q = of_device(b_.q),
          .k = of_device(b_.k),
          .v = of_device(b_.v),
          .sums = of_device(b_.range_sums),
          .weights = of_device(b_.range_weights),
          .n_done = of_device(b_.ranges_done),
          .codes = of_device(to.codes),
          .scales = of_device(to.scales),
          .code_sums = of_device(to.sums),
          .halves = of_device(halves_of(b_.attended, shape_.n_rows)),
          .k_offset = u32(kept.k.offset),
          .v_offset = u32(kept.v.offset),
          .n_range = u32(shape_.n_range),
          .n_rows = u32(shape_.n_rows)};
}

bool PassRecorder::prepares_heads(const LayerHparams& shape) const {
  return shape_.n_rows <= kMostTokens &&
         shape_.n_rows * (shape.head_dim_k + shape.head_dim_v) <= kMostFreshValues;
}

void PassRecorder::rope_append(const GpuLayer& layer) {
  const LayerHparams& shape = layer.plan->shape;
  const std::uint32_t n_invocations = std::max(64U, subgroup_),
                      n_at_once = n_invocations / subgroup_;
  const bool appends = layer.plan->has_own_keys();
  std::vector<std::uint32_t> constants = heads_constants(layer, n_invocations);
  constants.insert(constants.end(), {appends ? 1U : 0U, n_at_once});
  const int n_heads = shape.n_head + (appends ? 2 * shape.n_head_kv : 0);
  dispatch(Shader::rope_append, std::move(constants), heads_arguments(layer),
           {count(n_heads, n_at_once), u32(shape_.n_rows)});
  if (appends) commands_.moves_cache(bytes_of_position(pool_.layout().layer(layer.plan->il)), 1);
  commands_.barrier();
}

int PassRecorder::heads_of_group(const LayerHparams& shape) const {
  const bool makes = prepares_heads(shape);
  const int n_shared = shape.n_head / shape.n_head_kv;
  const int n_values = std::max(shape.head_dim_k, shape.head_dim_v);
  const int most =
      std::max(1, std::min({n_shared, makes ? kMostGroupMade : kMostGroup,
                            (makes ? kMostGroupValuesMade : kMostGroupValues) / n_values}));
  if (!makes) return most;
  const std::uint32_t n_ways = u32(shape_.n_ranges * shape.n_head_kv * shape_.n_rows);
  int n = 1;
  while (n < most && n_ways * count(n_shared, n) > kBusyWorkgroups) n *= 2;
  return std::min(n, most);
}

bool PassRecorder::attends_by_tiles(const LayerHparams& shape) const {
  const auto fits = [](int dim) { return dim % 32 == 0 && dim <= kMostTiledDim; };
  return shape_.by_tiles && fits(shape.head_dim_k) && fits(shape.head_dim_v);
}

// Matrix cores compute in f16, which cannot represent f32 keys and values.
bool PassRecorder::attends_by_cores(const GpuLayer& layer) const {
  const KvLayout::Layer& kept = pool_.layout().layer(layer.plan->il);
  const auto fits = [](int dim, kernels::Dtype type) {
    return (dim == 64 || dim == 128) && type != kernels::Dtype::F32;
  };
  return has_halves(shape_.n_rows) && fits(layer.plan->shape.head_dim_k, kept.k.dtype) &&
         fits(layer.plan->shape.head_dim_v, kept.v.dtype);
}

void PassRecorder::attend_by_tiles(const GpuLayer& layer) {
  const LayerHparams& shape = layer.plan->shape;
  const bool by_cores = attends_by_cores(layer);
  const std::uint32_t n_across = shape.head_dim_v > 64 ? 32 : 16;
  const int n_shared = shape.n_head / shape.n_head_kv;
  const std::uint32_t n_invocations = by_cores ? kInvocations : n_across * kTileQueries / 8;
  dispatch(
      by_cores ? Shader::attention_cores : Shader::attention_tiles,
      attention_constants(layer, n_invocations, n_across), heads_arguments(layer),
      {u32(shape_.n_ranges), count(shape_.n_rows * n_shared, kTileQueries) * u32(shape.n_head_kv)});
  commands_.moves_cache(
      bytes_of_position(pool_.layout().layer(layer.plan->il)) * u32(n_shared) / kTileQueries,
      shape.window);
  commands_.barrier();
}

void PassRecorder::attend(const GpuLayer& layer) {
  const LayerHparams& shape = layer.plan->shape;
  if (attends_by_tiles(shape)) {
    attend_by_tiles(layer);
    return;
  }
  const bool makes = prepares_heads(shape);
  const int n_shared = shape.n_head / shape.n_head_kv, n_group = heads_of_group(shape);
  std::vector<std::uint32_t> constants = attention_constants(layer, kInvocations, u32(n_group));
  constants.insert(constants.end(),
                   {makes ? u32(shape_.n_rows) : 0, layer.plan->has_own_keys() ? 1U : 0U});
  dispatch(
      Shader::attention, std::move(constants), heads_arguments(layer),
      {u32(shape_.n_ranges), u32(shape.n_head_kv) * count(n_shared, n_group), u32(shape_.n_rows)});
  commands_.moves_cache(
      bytes_of_position(pool_.layout().layer(layer.plan->il)) * count(n_shared, n_group),
      shape.window);
  commands_.barrier();
}

void PassRecorder::attention(const GpuLayer& layer) {
  const GpuActivations x = read_stream(layer.mixer_input, readers_of_mixer(layer));
  product(layer.q, x, {b_.q}, all_rows());
  if (layer.plan->has_own_keys()) {
    product(layer.k, x, {b_.k}, all_rows());
    product(layer.v, x, {b_.v}, all_rows());
  }
  commands_.barrier();
  if (hp_.qk_norm == QkNorm::row) {
    norm_row(b_.q, layer.q_norm, layer.q.n_rows);
    norm_row(b_.k, layer.k_norm, layer.k.n_rows);
    commands_.barrier();
  }
  if (!prepares_heads(layer.plan->shape)) rope_append(layer);
  attend(layer);
  add_to_stream(layer.out, b_.attended, all_rows(), layer.plan->mixer_residual.when,
                after_mixer(layer));
}

}  // namespace confab::engine
