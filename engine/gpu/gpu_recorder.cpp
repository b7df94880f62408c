// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_recorder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "engine/model/hparams.h"

namespace confab::engine {

using kernels::vulkan::Commands;
using kernels::vulkan::Grid;
using kernels::vulkan::Program;
using kernels::vulkan::Shader;

namespace {

constexpr int kMostTokens = 8;             // of a product by matvec
constexpr std::uint32_t kSubgroups = 8;    // of its workgroups
constexpr std::uint32_t kManyRows = 8192;  // keep a device busy with two to a subgroup
// The kinds of norms, as norm.comp has them.
constexpr std::uint32_t kRmsNorm = 0, kLayerNorm = 1, kNoNorm = 2;
constexpr std::uint32_t kTile = 64;  // rows and tokens of a workgroup of matmul
constexpr std::uint32_t kInvocations = 256;
constexpr int kChunk = 64;     // positions that attention goes through at once
constexpr int kMostGroup = 8;  // heads of a workgroup of attention
constexpr int kMostGroupValues = 1024;

std::uint32_t count(std::int64_t n, std::int64_t of) noexcept {
  return static_cast<std::uint32_t>((n + of - 1) / of);
}

// The programs' push constants, in their order.
struct EmbedArguments {
  std::uint64_t table, rows, x;
  std::uint32_t n_embd, row_bytes;
  float scale;
};
struct NormArguments {
  std::uint64_t x, waiting, post_weight, post_bias, x_scale, weight, bias, normed;
  GpuPacked packed;
  std::uint64_t picked;
  std::uint32_t n_cols;
  float eps, residual_scale;
};
struct MatvecArguments {
  std::uint64_t w = 0, w2 = 0, bias = 0, bias2 = 0;
  GpuPacked x{}, y{};  // floats: at codes
  std::uint64_t ids = 0, expert_bytes = 0;
  std::uint32_t n_rows = 0, n_cols = 0, row_bytes = 0, y_stride = 0;
  float scale = 1, scale2 = 1, added = 1;
  std::uint32_t expert_rows = 0;

  explicit MatvecArguments(const GpuMatrix& m)
      : w(m.data),
        bias(m.bias),
        n_rows(m.n_rows),
        n_cols(m.n_cols),
        row_bytes(m.row_bytes),
        y_stride(m.n_rows),
        scale(m.scale) {}
};
struct MatmulArguments {
  std::uint64_t w, bias, x, x_scales, y;
  std::uint32_t n_rows, n_cols, row_bytes, y_stride, n_tokens;
  float scale, added;
};
struct RopeAppendArguments {
  std::uint64_t rows, tables, pages, q, k, v, angles, q_norm, k_norm, page_bytes;
  std::uint32_t k_offset, v_offset, n_head, n_head_kv, q_norm_stride, k_norm_stride;
  float eps, temperature_scale, temperature_length;
};
struct AttentionArguments {
  std::uint64_t rows, tables, pages, q, sums, weights, page_bytes;
  std::uint32_t k_offset, v_offset, n_head, n_shared, n_range, window;
  float scale, softcap;
};
struct JoinArguments {
  std::uint64_t sums, weights, sinks, out;
  GpuPacked packed;
  std::uint32_t n_head, n_ranges;
};
struct ActivateArguments {
  std::uint64_t gate, up;
  GpuPacked packed;
  std::uint32_t n_quarters;
};
struct LogitsArguments {
  std::uint64_t logits;
  std::uint32_t n;
  float scale, cap;
};

enum class Store : std::uint32_t { replaces, adds, hidden };  // matvec's kWhat

// Where a product goes.
struct Target {
  std::uint64_t y;
  Store store = Store::replaces;
  float added = 1;
};

// What a matrix is multiplied by.
GpuPacked source_of(const GpuMatrix& m, const GpuActivations& x) noexcept {
  return m.reads_floats() ? GpuPacked{.codes = x.floats} : x.packed;
}

class Recorder {
 public:
  Recorder(const GpuPassParts& parts, const GpuBuffers& buffers, const GpuPassShape& shape,
           Commands& commands)
      : gpu_(parts.gpu),
        model_(parts.model),
        hp_(parts.model.hp),
        pool_(parts.pool),
        b_(buffers),
        shape_(shape),
        commands_(commands),
        subgroup_(static_cast<std::uint32_t>(gpu_.info().subgroup_size)) {}

  void record() {
    embed();
    for (const GpuLayer& layer : model_.layers) {
      attention(layer);
      feed_forward(layer);
    }
    if (shape_.n_wanted > 0) output();
  }

 private:
  template <typename Arguments>
  void dispatch(Shader shader, std::initializer_list<std::uint32_t> constants,
                const Arguments& arguments, Grid grid) {
    dispatch(shader, 0, constants, arguments, grid);
  }
  // By a program for a format.
  template <typename Arguments>
  void dispatch(Shader shader, std::uint32_t format, std::initializer_list<std::uint32_t> constants,
                const Arguments& arguments, Grid grid) {
    commands_.dispatch(gpu_.program(shader, format, std::vector<std::uint32_t>(constants)),
                       arguments, grid);
  }

  void embed();
  void read_stream(const GpuStreamInput& input, const GpuActivations& to, bool packs,
                   int n_picked = 0);
  void product(const GpuMatrix& m, const GpuActivations& x, const Target& to, int n_rows);
  void few_products(const GpuMatrix& m, const GpuActivations& x, const Target& to, int n_rows);
  void many_products(const GpuMatrix& m, const GpuActivations& x, const Target& to, int n_rows);
  void norm_row(std::uint64_t x, std::uint64_t weight, std::uint32_t n_cols);
  void rope_append(const GpuLayer& layer);
  void attend(const GpuLayer& layer);
  void attention(const GpuLayer& layer);
  void feed_forward(const GpuLayer& layer);
  bool hidden_at_once(const GpuLayer& layer) const;
  void add_to_stream(const GpuMatrix& m, const GpuActivations& x, Residual::When when);
  void output();

  // Invocations that go through n quarters of a row.
  std::uint32_t row_workgroup(std::uint32_t n_quarters) const {
    const auto most = static_cast<std::uint32_t>(std::min(gpu_.info().n_workgroup_max, 512));
    return std::clamp(std::bit_ceil(n_quarters), std::max(subgroup_, 32U), most);
  }

  kernels::vulkan::Gpu& gpu_;
  const GpuModel& model_;
  const Hparams& hp_;
  const GpuPagePool& pool_;
  const GpuBuffers& b_;
  const GpuPassShape shape_;
  Commands& commands_;
  const std::uint32_t subgroup_;
};

void Recorder::embed() {
  const GpuMatrix& table = model_.token_embd;
  const auto n_embd = static_cast<std::uint32_t>(hp_.n_embd);
  dispatch(
      Shader::embed, table.format, {64},
      EmbedArguments{table.data, b_.rows_at, b_.x, n_embd, table.row_bytes, hp_.embedding_scale},
      {count(n_embd / 8, 64), static_cast<std::uint32_t>(shape_.n_rows)});
  commands_.barrier();
}

void Recorder::read_stream(const GpuStreamInput& input, const GpuActivations& to, bool packs,
                           int n_picked) {
  const auto n_embd = static_cast<std::uint32_t>(hp_.n_embd);
  const auto kind_of = [this](const GpuNorm& norm) {
    return norm.weight == 0 ? kNoNorm : hp_.norm == NormKind::rms ? kRmsNorm : kLayerNorm;
  };
  const auto waits = static_cast<std::uint32_t>(input.waits);
  dispatch(Shader::norm,
           {row_workgroup(n_embd / 4), kind_of(input.norm), waits, kind_of(input.post_norm),
            packs ? 1U : 0U},
           NormArguments{b_.x, b_.waiting, input.post_norm.weight, input.post_norm.bias,
                         input.x_scale, input.norm.weight, input.norm.bias, to.floats, to.packed,
                         n_picked > 0 ? b_.picked_at : 0, n_embd, hp_.norm_eps, hp_.residual_scale},
           {static_cast<std::uint32_t>(n_picked > 0 ? n_picked : shape_.n_rows)});
  commands_.barrier();
}

void Recorder::product(const GpuMatrix& m, const GpuActivations& x, const Target& to, int n_rows) {
  if (n_rows <= kMostTokens)
    few_products(m, x, to, n_rows);
  else
    many_products(m, x, to, n_rows);
}

void Recorder::few_products(const GpuMatrix& m, const GpuActivations& x, const Target& to,
                            int n_rows) {
  const std::uint32_t rows = m.n_rows >= kManyRows ? 2 : 1;
  MatvecArguments arguments(m);
  arguments.x = source_of(m, x);
  arguments.y.codes = to.y;
  arguments.added = to.added;
  dispatch(Shader::matvec, m.format,
           {kSubgroups * subgroup_, static_cast<std::uint32_t>(n_rows), rows,
            static_cast<std::uint32_t>(to.store), 0, 0, 0},
           arguments, {count(m.n_rows, kSubgroups * rows)});
}

void Recorder::many_products(const GpuMatrix& m, const GpuActivations& x, const Target& to,
                             int n_rows) {
  dispatch(Shader::matmul, m.format, {kInvocations, to.store == Store::adds ? 1U : 0U},
           MatmulArguments{m.data, m.bias, source_of(m, x).codes, x.packed.scales, to.y, m.n_rows,
                           m.n_cols, m.row_bytes, m.n_rows, static_cast<std::uint32_t>(n_rows),
                           m.scale, to.added},
           {count(m.n_rows, kTile), count(n_rows, kTile)});
}

void Recorder::norm_row(std::uint64_t x, std::uint64_t weight, std::uint32_t n_cols) {
  dispatch(
      Shader::norm,
      {row_workgroup(n_cols / 4), hp_.norm == NormKind::rms ? kRmsNorm : kLayerNorm, 0, kNoNorm, 0},
      NormArguments{x, 0, 0, 0, 0, weight, 0, x, {}, 0, n_cols, hp_.norm_eps, 1},
      {static_cast<std::uint32_t>(shape_.n_rows)});
}

void Recorder::rope_append(const GpuLayer& layer) {
  const LayerHparams& shape = layer.plan->shape;
  const KvLayout::Layer& kept = pool_.layout().layer(layer.plan->il);
  const bool rotates = shape.rope != kNoRope;
  const auto rope = static_cast<std::size_t>(rotates ? shape.rope : 0);
  const RopeHparams how = rotates ? hp_.ropes[rope] : RopeHparams{};
  const bool head_norm = hp_.qk_norm == QkNorm::head;
  const auto u = [](auto n) { return static_cast<std::uint32_t>(n); };
  const std::uint32_t norm = !head_norm ? 0 : hp_.norm == NormKind::rms ? 1 : 2;
  const LayerWeights& w = layer.plan->weights;
  dispatch(
      Shader::rope_append,
      {std::max(64U, subgroup_), u(kept.k.dtype), u(kept.v.dtype), u(shape.head_dim_k),
       u(shape.head_dim_v), u(kept.rotations.keys), u(kept.rotations.values), u(how.n_rot),
       u(how.offset), how.interleaved ? 1U : 0U, norm, hp_.v_norm ? 1U : 0U},
      RopeAppendArguments{b_.rows_at, b_.tables_at, pool_.address(), b_.q, b_.k, b_.v,
                          rotates ? b_.angles_at[rope] : 0, layer.q_norm, layer.k_norm,
                          pool_.layout().block_bytes(), u(kept.k.offset), u(kept.v.offset),
                          u(shape.n_head), u(shape.n_head_kv), u(w.attn_q_norm.stride),
                          u(w.attn_k_norm.stride), hp_.norm_eps, hp_.attn_temperature_scale,
                          static_cast<float>(hp_.attn_temperature_length)},
      {u(shape.n_head + (layer.plan->has_own_keys() ? 2 * shape.n_head_kv : 0)), u(shape_.n_rows)});
  commands_.barrier();
}

void Recorder::attend(const GpuLayer& layer) {
  const LayerHparams& shape = layer.plan->shape;
  const KvLayout::Layer& kept = pool_.layout().layer(layer.plan->il);
  const auto u = [](auto n) { return static_cast<std::uint32_t>(n); };
  const int n_shared = shape.n_head / shape.n_head_kv;
  const int n_group = std::min({n_shared, kMostGroup, kMostGroupValues / shape.head_dim_k});
  dispatch(Shader::attention,
           {kInvocations, u(kept.k.dtype), u(kept.v.dtype), u(shape.head_dim_k),
            u(shape.head_dim_v), u(n_group)},
           AttentionArguments{b_.rows_at, b_.tables_at, pool_.address(), b_.q, b_.range_sums,
                              b_.range_weights, pool_.layout().block_bytes(), u(kept.k.offset),
                              u(kept.v.offset), u(shape.n_head), u(n_shared), u(shape_.n_range),
                              u(shape.window), hp_.score_scale(shape), hp_.attn_softcap},
           {u(shape_.n_ranges), u(shape.n_head_kv) * count(n_shared, n_group), u(shape_.n_rows)});
  commands_.barrier();
  const bool floats = layer.out.reads_floats();
  dispatch(
      Shader::attention_join,
      {std::max(64U, subgroup_), u(shape.head_dim_v), u(kept.rotations.values), floats ? 0U : 1U},
      JoinArguments{b_.range_sums, b_.range_weights, layer.sinks, floats ? b_.attended.floats : 0,
                    b_.attended.packed, u(shape.n_head), u(shape_.n_ranges)},
      {u(shape.n_head), u(shape_.n_rows)});
  commands_.barrier();
}

// Whether any of these reads packed activations; whether any reads floats is told by the address.
struct Readers {
  bool packed = false, floats = false;
  explicit Readers(std::initializer_list<const GpuMatrix*> matrices) {
    for (const GpuMatrix* m : matrices) {
      if (m->n_rows == 0) continue;
      (m->reads_floats() ? floats : packed) = true;
    }
  }
};

GpuActivations wanted_of(GpuActivations all, const Readers& readers) {
  if (!readers.floats) all.floats = 0;
  return all;
}

void Recorder::attention(const GpuLayer& layer) {
  const Readers readers({&layer.q, &layer.k, &layer.v});
  read_stream(layer.mixer_input, wanted_of(b_.normed, readers), readers.packed);
  product(layer.q, b_.normed, {b_.q}, shape_.n_rows);
  if (layer.plan->has_own_keys()) {
    product(layer.k, b_.normed, {b_.k}, shape_.n_rows);
    product(layer.v, b_.normed, {b_.v}, shape_.n_rows);
  }
  commands_.barrier();
  if (hp_.qk_norm == QkNorm::row) {
    norm_row(b_.q, layer.q_norm, layer.q.n_rows);
    norm_row(b_.k, layer.k_norm, layer.k.n_rows);
    commands_.barrier();
  }
  rope_append(layer);
  attend(layer);
  add_to_stream(layer.out, b_.attended, layer.plan->mixer_residual.when);
}

void Recorder::add_to_stream(const GpuMatrix& m, const GpuActivations& x, Residual::When when) {
  if (when == Residual::When::at_once)
    product(m, x, {b_.x, Store::adds, hp_.residual_scale}, shape_.n_rows);
  else
    product(m, x, {b_.waiting}, shape_.n_rows);
  commands_.barrier();
}

bool Recorder::hidden_at_once(const GpuLayer& layer) const {
  return shape_.n_rows <= kMostTokens && layer.gate.n_rows > 0 &&
         layer.gate.dtype == layer.up.dtype && !layer.down.reads_floats() &&
         layer.up.n_rows % 32 == 0;
}

void Recorder::feed_forward(const GpuLayer& layer) {
  const Readers readers({&layer.gate, &layer.up});
  const auto activation = static_cast<std::uint32_t>(hp_.activation);
  const auto n = static_cast<std::uint32_t>(shape_.n_rows);
  const GpuMatrix& up = layer.up;
  read_stream(layer.feed_forward_input, wanted_of(b_.normed, readers), readers.packed);
  if (hidden_at_once(layer)) {
    const auto most = static_cast<std::uint32_t>(gpu_.info().n_workgroup_max);
    const std::uint32_t subgroups = std::min(2 * kSubgroups, most / subgroup_);
    MatvecArguments arguments(layer.gate);
    arguments.w2 = up.data;
    arguments.bias2 = up.bias;
    arguments.scale2 = up.scale;
    arguments.x = source_of(up, b_.normed);
    arguments.y = b_.hidden.packed;
    dispatch(Shader::matvec, up.format,
             {subgroups * subgroup_, n, 32 / subgroups, static_cast<std::uint32_t>(Store::hidden),
              activation, 0, 0},
             arguments, {count(up.n_rows, 32)});
  } else {
    const bool has_gate = layer.gate.n_rows > 0;
    if (has_gate) product(layer.gate, b_.normed, {b_.hidden.floats}, shape_.n_rows);
    product(up, b_.normed, {has_gate ? b_.up : b_.hidden.floats}, shape_.n_rows);
    commands_.barrier();
    const std::uint32_t n_quarters = up.n_rows / 4 * n;
    dispatch(Shader::activate,
             {kInvocations, activation, has_gate ? 1U : 0U, layer.down.reads_floats() ? 0U : 1U},
             ActivateArguments{b_.hidden.floats, b_.up, b_.hidden.packed, n_quarters},
             {count(n_quarters, kInvocations)});
  }
  commands_.barrier();
  add_to_stream(layer.down, b_.hidden, layer.plan->feed_forward_residual.when);
}

void Recorder::output() {
  read_stream(model_.output_input, b_.output, !model_.output.reads_floats(), shape_.n_wanted);
  product(model_.output, b_.output, {b_.logits}, shape_.n_wanted);
  commands_.barrier();
  const auto n_vocab = static_cast<std::size_t>(hp_.n_vocab);
  const auto n_wanted = static_cast<std::size_t>(shape_.n_wanted);
  if (hp_.logit_scale != 1 || hp_.logit_softcap > 0) {
    const auto n = static_cast<std::uint32_t>(n_vocab * n_wanted);
    dispatch(Shader::logits, {kInvocations},
             LogitsArguments{b_.logits, n, hp_.logit_scale, hp_.logit_softcap},
             {count(n, kInvocations)});
    commands_.barrier();
  }
  const std::size_t n_bytes = n_wanted * n_vocab * sizeof(float);
  commands_.copy(b_.device, b_.logits_offset, b_.result, 0, n_bytes);
  commands_.copy(b_.device, b_.output_offset, b_.result, n_bytes,
                 n_wanted * static_cast<std::size_t>(hp_.n_embd) * sizeof(float));
}

}  // namespace

GpuPassShape pass_shape(const Hparams& hp, int n_rows, int n_wanted, int n_positions) {
  int n_groups = 1, n_head = 1;
  for (const LayerHparams& layer : hp.layers) {
    n_groups = std::max(n_groups, layer.n_head_kv);
    n_head = std::max(n_head, layer.n_head);
  }
  // A range is recorded for as many positions as fill the last block, so that a pass can be
  // replayed while it fills.
  const int n_chunks = count_blocks(n_positions) * (kBlockTokens / kChunk);
  const int most =
      std::max(1, std::min(512 / (n_groups * n_rows), GpuBuffers::kMostRanges / (n_rows * n_head)));
  const int n_of_range = (n_chunks + most - 1) / most;
  return {.n_rows = n_rows,
          .n_wanted = n_wanted,
          .n_range = n_of_range * kChunk,
          .n_ranges = (n_chunks + n_of_range - 1) / n_of_range};
}

void record_pass(const GpuPassParts& parts, const GpuBuffers& buffers, const GpuPassShape& shape,
                 Commands& commands) {
  Recorder(parts, buffers, shape, commands).record();
  commands.end();
}

}  // namespace confab::engine
