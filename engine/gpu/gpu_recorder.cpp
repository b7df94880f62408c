// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_recorder.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

#include "engine/gpu/pass_recorder.h"
#include "engine/model/hparams.h"

namespace confab::engine {

using kernels::vulkan::Commands;
using kernels::vulkan::Shader;

namespace {

constexpr std::uint32_t kMostOfLogits = 65535;  // every device accepts this many workgroups
constexpr std::uint32_t kManyTiles = 256;       // enough to keep a device busy
// of shared memory, for both halves of a tile of matmul_cores
constexpr std::uint32_t kBothHalves = 48 << 10;
// The kinds of norms, numbered as in norm.comp.
constexpr std::uint32_t kRmsNorm = 0, kLayerNorm = 1, kNoNorm = 2;
constexpr int kChunk = 64;  // positions that attention processes at a time
// Logits per part of a row when the best are searched; the last part has nearly as many.
constexpr std::uint32_t kPartLogits = 1024;

MatmulArguments matmul_arguments(const GpuMatrix& m, const GpuPacked& x, const Target& to,
                                 const Rows& rows) {
  return {m.data,
          m.bias,
          x,
          to.y,
          rows.tiles,
          m.expert_bytes,
          m.grid,
          m.n_rows,
          m.n_cols,
          m.row_bytes,
          static_cast<std::uint32_t>(rows.n),
          m.scale,
          to.added};
}

// The same activations from value n on.
GpuPacked values_from(const GpuPacked& x, std::uint64_t n, bool are_floats) {
  if (are_floats) return {.codes = x.codes + n * sizeof(float)};
  return {x.codes + n, x.scales + n / 8, x.sums + n / 4};
}

}  // namespace

void PassRecorder::embed() {
  const GpuMatrix& table = model_.token_embd;
  const auto n_embd = static_cast<std::uint32_t>(hp_.n_embd);
  if (table.n_rows == 0) {
    commands_.copy(b_.shared, b_.given_at - b_.shared.address(), b_.device,
                   b_.x - b_.device.address(),
                   std::size_t{n_embd} * static_cast<std::size_t>(shape_.n_rows) * sizeof(float));
    return commands_.barrier();
  }
  dispatch(Shader::embed, table.format, {64},
           EmbedArguments{table.data, b_.rows_at, b_.x, table.grid, n_embd, table.row_bytes,
                          hp_.embedding_scale},
           {count(n_embd / 8, 64), static_cast<std::uint32_t>(shape_.n_rows)});
  commands_.reads(std::uint64_t{table.row_bytes} * static_cast<std::uint64_t>(shape_.n_rows));
  commands_.barrier();
}

void PassRecorder::read_stream(const GpuStreamInput& input, const GpuActivations& to, bool packs,
                               int n_picked) {
  const auto n_embd = static_cast<std::uint32_t>(hp_.n_embd);
  const auto kind_of = [this](const GpuNorm& norm) {
    return norm.weight == 0 ? kNoNorm : hp_.norm == NormKind::rms ? kRmsNorm : kLayerNorm;
  };
  const auto waits = static_cast<std::uint32_t>(input.waits);
  const int n = n_picked > 0 ? n_picked : shape_.n_rows;
  dispatch(
      Shader::norm,
      {row_workgroup(n_embd / 4), kind_of(input.norm), waits, kind_of(input.post_norm),
       packs ? 1U : 0U},
      NormArguments{b_.x, b_.waiting, input.post_norm.weight, input.post_norm.bias, input.x_scale,
                    input.norm.weight, input.norm.bias, to.floats, to.packed, halves_of(to, n),
                    n_picked > 0 ? b_.picked_at : 0, n_embd, hp_.norm_eps, hp_.residual_scale},
      {static_cast<std::uint32_t>(n)});
  commands_.barrier();
}

GpuActivations PassRecorder::read_stream(const GpuStreamInput& input, const Readers& readers) {
  GpuActivations to = wanted_of(b_.normed, readers);
  if (is_normed_)
    to.squares = b_.squares;
  else
    read_stream(input, to, readers.packed);
  is_normed_ = false;
  return to;
}

void PassRecorder::product(const GpuMatrix& m, const GpuActivations& x, const Target& to,
                           const Rows& rows) {
  if (rows.is_few())
    few_products(m, x, to, rows);
  else if (is_in_parts(m, rows))
    products_in_parts(m, x, to, rows.n);
  else if (uses_matrix_cores(m, rows))
    products_of_cores(m, x, to, rows);
  else
    many_products(m, x, to, rows);
}

void PassRecorder::many_products(const GpuMatrix& m, const GpuActivations& x, const Target& to,
                                 const Rows& rows) {
  // Large tiles read the least, if there are enough of them to keep a device busy.
  const bool large =
      rows.tiles == 0 && count(m.n_rows, kTile) * count(rows.n, 2 * kTileRows) >= kManyTiles;
  const int n_tokens = large ? 2 * kTileRows : kTileRows;
  tiled_products(Shader::matmul, m, {source_of(m, x), u32(n_tokens / 16), n_tokens}, to, rows);
}

void PassRecorder::tiled_products(Shader shader, const GpuMatrix& m, const Tiling& tiling,
                                  const Target& to, const Rows& rows) {
  const bool experts = rows.tiles != 0;
  std::vector<std::uint32_t> constants{kInvocations, to.store == Store::adds ? 1U : 0U,
                                       experts ? 1U : 0U, tiling.constant};
  if (shader == Shader::matmul_cores)
    constants.push_back(gpu_.info().shared_bytes >= kBothHalves ? 2 : 1);
  const kernels::vulkan::Program& program = gpu_.program(shader, m.format, constants);
  const MatmulArguments arguments = matmul_arguments(m, tiling.x, to, rows);
  if (experts)
    commands_.dispatch(program, arguments,
                       kernels::vulkan::WrittenGrid{b_.device, rows.grid - b_.device.address()});
  else
    commands_.dispatch(program, arguments, {count(m.n_rows, kTile), count(rows.n, tiling.n_rows)});
  commands_.reads(m.n_bytes() * (experts ? u32(rows.n_tiles) : count(rows.n, tiling.n_rows)));
}

bool PassRecorder::has_halves(int n_rows) const {
  const kernels::vulkan::GpuInfo& gpu = gpu_.info();
  return gpu.matrix_cores && subgroup_ == 32 &&
         n_rows > (gpu.known_fragments ? kMostAlone : kMostTokens);
}

// Matrix cores compute in f16, which cannot represent f32 weights.
bool PassRecorder::uses_matrix_cores(const GpuMatrix& m, const Rows& rows) const {
  return has_halves(rows.n) && m.dtype != kernels::Dtype::F32 && m.n_cols % 32 == 0 &&
         rows.ids == 0;
}

void PassRecorder::products_of_cores(const GpuMatrix& m, const GpuActivations& x, const Target& to,
                                     const Rows& rows) {
  const int across = rows.tiles != 0 || rows.n <= kTileRows ? 1 : 2;
  tiled_products(Shader::matmul_cores, m, {{.codes = x.halves}, u32(across), kTileRows * across},
                 to, rows);
}

// Products with a few rows of activations, by matvec or by matrix cores.
bool PassRecorder::few_by_cores(const GpuMatrix& m, const Rows& rows) const {
  return gpu_.info().known_fragments && rows.is_few() && uses_matrix_cores(m, rows);
}

void PassRecorder::few_products(const GpuMatrix& m, const GpuActivations& x, const Target& to,
                                const Rows& rows) {
  MatvecArguments arguments(m, rows.ids);
  arguments.y.codes = to.y;
  arguments.squares = x.squares;
  arguments.w2 = x.norm_weight;
  arguments.added = to.added;
  dispatch_few(m, arguments, x, to.store, rows);
}

bool PassRecorder::is_in_parts(const GpuMatrix& m, const Rows& rows) const {
  const bool by_cores = gpu_.info().known_fragments && uses_matrix_cores(m, rows);
  return rows.tiles == 0 && rows.n <= (by_cores ? kMostInPartsByCores : kMostInParts);
}

void PassRecorder::products_in_parts(const GpuMatrix& m, GpuActivations x, Target to, int n_rows) {
  for (int left = n_rows, n = 0; left > 0; left -= n) {
    // Takes multiples of four, then the rest: the driver compiles a program for each size.
    n = left < 4 ? left : std::min(left - left % 4, kMostFew);
    few_products(m, x, to, {.n = n});
    const std::uint64_t n_values = u32(n) * std::uint64_t{m.n_cols};
    x.packed = values_from(x.packed, n_values, false);
    x.floats += n_values * sizeof(float);
    x.halves += n_values * 2;
    to.y += u32(n) * std::uint64_t{m.n_rows} * sizeof(float);
  }
}

void PassRecorder::dispatch_few(const GpuMatrix& m, MatvecArguments arguments,
                                const GpuActivations& x, Store what, const Rows& rows) {
  if (few_by_cores(m, rows)) {
    arguments.x = {.codes = x.halves};
    return dispatch_few_by_cores(m, arguments, what, rows.n);
  }
  const float norm_eps = x.squares == 0 && x.norm_weight == 0 ? 0 : hp_.norm_eps;
  arguments.x = source_of(m, x);
  for (Rows left = rows; left.n > 0;) {
    Rows now = left;
    if (now.apart > now.n) now.apart = 0;  // fewer rows than one part
    now.n = now.apart > 0 ? now.n - now.n % now.apart : std::min(now.n, kMostTokens);
    dispatch_matvec(m, arguments, {norm_eps, x.norm_weight != 0}, what, now);
    arguments.x = values_from(arguments.x, u32(now.n) * std::uint64_t{m.n_cols}, m.reads_floats());
    arguments.y = values_from(arguments.y, u32(now.n) * std::uint64_t{m.n_rows}, !is_by_32(what));
    left.n -= now.n;
  }
}

void PassRecorder::dispatch_few_by_cores(const GpuMatrix& m, const MatvecArguments& arguments,
                                         Store what, int n_rows) {
  const auto most = static_cast<std::uint32_t>(gpu_.info().n_workgroup_max);
  const std::uint32_t n_subgroups = std::min(cores_subgroups(m, what), most / subgroup_);
  dispatch(Shader::matvec_cores, m.format,
           {n_subgroups * subgroup_, u32(n_rows), 1, static_cast<std::uint32_t>(what),
            static_cast<std::uint32_t>(hp_.activation)},
           arguments, {count(m.n_rows, kCoresRows)});
  commands_.reads(m.n_bytes() * (what == Store::hidden ? 2 : 1));
}

// Sets the constants that products of experts need about the choice.
void PassRecorder::set_choice(const MatvecArguments& arguments, const Rows& rows,
                              MatvecConstants& constants) const {
  assert(b_.experts.logits - arguments.ids <= UINT32_MAX);
  const GpuExpertBuffers& b = b_.experts;
  const ExpertHparams& e = hp_.experts;
  constants.n_summed = u32(rows.n_summed);
  constants.n_cols = arguments.n_cols;
  constants.ids_at = u32(b.ids - arguments.ids);
  constants.weights_at = u32(b.weights - arguments.ids);
  if (!rows.chooses) return;
  constants.chooses = 1;
  constants.logits_at = u32(b.logits - arguments.ids);
  constants.gating = u32(e.gating);
  constants.n_routed = u32(e.n_expert);
  constants.n_used = u32(e.n_expert_used);
  constants.normalises = e.normalise_weights ? 1 : 0;
}

void PassRecorder::dispatch_matvec(const GpuMatrix& m, const MatvecArguments& arguments,
                                   NormOfX norm, Store what, const Rows& rows) {
  const FewRows few = FewRows::of(m, rows, what, subgroup_);
  const auto most = static_cast<std::uint32_t>(gpu_.info().n_workgroup_max);
  const std::uint32_t n_subgroups = std::min(few.n_subgroups, most / subgroup_);
  MatvecConstants constants{.n_invocations = n_subgroups * subgroup_,
                            .n_tokens = rows.at_once(),
                            .n_rows = few.n,
                            .what = u32(what),
                            .activation = u32(hp_.activation),
                            .n_sharing = rows.sharing(),
                            .n_steps = few.n_steps,
                            .norm_eps = norm.eps,
                            .small_steps = few.small_steps ? 1U : 0U,
                            .norms_x = norm.is_of_stream ? 1U : 0U};
  if (rows.n_summed > 0 || rows.chooses) set_choice(arguments, rows, constants);
  const std::uint32_t n_workgroups = count(m.n_rows, is_by_32(what) ? 32 : n_subgroups * few.n);
  dispatch(Shader::matvec, m.format, constants.words(), arguments,
           rows.apart > 0 ? Grid{rows.n_parts(), n_workgroups} : Grid{n_workgroups});
  commands_.reads(m.n_bytes() * (what == Store::hidden ? 2 : 1) * rows.n_read());
}

void PassRecorder::norm_row(std::uint64_t x, std::uint64_t weight, std::uint32_t n_cols) {
  dispatch(
      Shader::norm,
      {row_workgroup(n_cols / 4), hp_.norm == NormKind::rms ? kRmsNorm : kLayerNorm, 0, kNoNorm, 0},
      NormArguments{x, 0, 0, 0, 0, weight, 0, x, {}, 0, 0, n_cols, hp_.norm_eps, 1},
      {static_cast<std::uint32_t>(shape_.n_rows)});
}

// x += added, for rows as wide as the stream.
void PassRecorder::add_rows(std::uint64_t x, std::uint64_t added) {
  const auto n_embd = static_cast<std::uint32_t>(hp_.n_embd);
  const auto waits = static_cast<std::uint32_t>(Residual::When::before_norm);
  dispatch(Shader::norm, {row_workgroup(n_embd / 4), kNoNorm, waits, kNoNorm, 0},
           NormArguments{x, added, 0, 0, 0, 0, 0, 0, {}, 0, 0, n_embd, hp_.norm_eps, 1},
           {static_cast<std::uint32_t>(shape_.n_rows)});
  commands_.barrier();
}

Next PassRecorder::after_mixer(const GpuLayer& layer) {
  const Readers readers = layer.plan->feed_forward == FeedForward::experts
                              ? readers_of_mixture(layer.experts)
                              : Readers({&layer.mlp.gate, &layer.mlp.up});
  return {&layer.feed_forward_input, readers};
}

Next PassRecorder::after_feed_forward(const GpuLayer& layer) const {
  if (&layer == &model_.layers.back()) return {};
  const GpuLayer& next = *(&layer + 1);
  return {&next.mixer_input, readers_of_mixer(next)};
}

// With many rows, the readers would spend more time on the roots than a separate norm takes.
bool PassRecorder::norms_at_once(Residual::When when, const Next& next) const {
  return next.input != nullptr && when == Residual::When::at_once && is_plain_norm(*next.input) &&
         hp_.n_embd % 32 == 0 && shape_.n_rows <= kMostAlone &&
         (hp_.experts.n_expert == 0 || !is_grouped());
}

bool PassRecorder::is_plain_norm(const GpuStreamInput& input) const {
  return input.waits == Residual::When::at_once && input.x_scale == 0 &&
         hp_.norm == NormKind::rms && input.norm.weight != 0 && input.norm.bias == 0 &&
         hp_.norm_eps > 0;
}

void PassRecorder::add_and_norm(const GpuMatrix& m, const GpuActivations& x, const Rows& rows,
                                const Next& next) {
  MatvecArguments arguments(m, b_.x);
  arguments.y = b_.normed.packed;
  arguments.w2 = next.input->norm.weight;
  arguments.bias2 = next.readers.floats ? b_.normed.floats : 0;
  arguments.squares = b_.squares;
  arguments.added = hp_.residual_scale;
  dispatch_few(m, arguments, x, Store::adds_and_norms, rows);
  is_normed_ = true;
}

void PassRecorder::add_to_stream(const GpuMatrix& m, const GpuActivations& x, const Rows& rows,
                                 Residual::When when, const Next& next) {
  if (norms_at_once(when, next))
    add_and_norm(m, x, rows, next);
  else if (when == Residual::When::at_once)
    product(m, x, {b_.x, Store::adds, hp_.residual_scale}, rows);
  else
    product(m, x, {b_.waiting}, rows);
  commands_.barrier();
}

void PassRecorder::output() {
  read_stream(model_.output_input, b_.output, !model_.output.reads_floats(), shape_.n_wanted);
  product(model_.output, b_.output, {b_.logits}, {shape_.n_wanted});
  commands_.barrier();
  const auto n_vocab = static_cast<std::size_t>(hp_.n_vocab);
  const auto n_wanted = static_cast<std::size_t>(shape_.n_wanted);
  finish_logits();
  std::size_t n_bytes = n_wanted * n_vocab * sizeof(float);
  if (shape_.n_top > 0) {
    n_bytes = n_wanted * static_cast<std::size_t>(shape_.n_top) * sizeof(TopLogit);
    best_logits();
    commands_.copy(b_.device, b_.top - b_.device.address(), b_.result, 0, n_bytes);
  } else {
    commands_.copy(b_.device, b_.logits_offset, b_.result, 0, n_bytes);
  }
  commands_.copy(b_.device, b_.output_offset, b_.result, n_bytes,
                 n_wanted * static_cast<std::size_t>(hp_.n_embd) * sizeof(float));
}

void PassRecorder::finish_logits() {
  if (hp_.logit_scale == 1 && hp_.logit_softcap <= 0) return;
  const auto n = static_cast<std::uint32_t>(hp_.n_vocab * shape_.n_wanted);
  dispatch(Shader::logits, {kInvocations},
           LogitsArguments{b_.logits, n, hp_.logit_scale, hp_.logit_softcap},
           {std::min(count(n, kInvocations), kMostOfLogits)});
  commands_.barrier();
}

void PassRecorder::best_logits() {
  const auto n_vocab = static_cast<std::uint32_t>(hp_.n_vocab);
  const auto n_top = static_cast<std::uint32_t>(shape_.n_top);
  const auto n_rows = static_cast<std::uint32_t>(shape_.n_wanted);
  const std::uint32_t n_parts = std::clamp(n_vocab / kPartLogits, 1U, GpuBuffers::kMostTopParts);
  dispatch(Shader::top, {kInvocations, n_top, 0}, TopArguments{b_.logits, b_.top_of_parts, n_vocab},
           {n_parts, n_rows});
  commands_.barrier();
  dispatch(Shader::top, {kInvocations, n_top, 1},
           TopArguments{b_.top_of_parts, b_.top, n_parts * n_top}, {1, n_rows});
  commands_.barrier();
}

namespace {

int most_ranges_of_rows(const Hparams& hp, int n_rows) {
  constexpr int kBusyWorkgroups = 512, kMostOfHeads = 2048;
  const MostHeads heads = most_heads(hp);
  return std::max(
      1, std::min(kBusyWorkgroups / (heads.of_keys * n_rows), kMostOfHeads / (n_rows * heads.all)));
}

int most_ranges_of_tiles(const Hparams& hp, int n_rows) {
  constexpr int kBusyWorkgroups = 256, kMost = 8;  // the programs have room for this many
  const MostHeads heads = most_heads(hp);
  const auto n_tiles =
      heads.of_keys * static_cast<int>(count(n_rows * (heads.all / heads.of_keys), kTileQueries));
  return std::clamp(
      std::min(kBusyWorkgroups / n_tiles, GpuBuffers::kMostRanges / (n_rows * heads.all)), 1,
      kMost);
}

}  // namespace

GpuPassShape pass_shape(const Hparams& hp, PassRows rows, int n_wanted, int n_positions) {
  const bool by_tiles = rows.n >= kFewestTiled && rows.n_least >= kFewestOfSequence;
  // Positions are rounded up to whole blocks, so that the recorded pass can be replayed until the
  // last block is full.
  const int n_chunks = count_blocks(n_positions) * (kBlockTokens / kChunk);
  const int most = by_tiles ? most_ranges_of_tiles(hp, rows.n) : most_ranges_of_rows(hp, rows.n);
  const int n_of_range =
      std::max((n_chunks + most - 1) / most, by_tiles ? kBlockTokens / kChunk : 1);
  return {.n_rows = rows.n,
          .n_wanted = n_wanted,
          .n_top = 0,
          .n_range = n_of_range * kChunk,
          .n_ranges = (n_chunks + n_of_range - 1) / n_of_range,
          .by_tiles = by_tiles};
}

void record_pass(const GpuPassParts& parts, const GpuBuffers& buffers, const GpuPassShape& shape,
                 Commands& commands) {
  record_layers(parts, buffers, shape, {0, parts.model.layers.size()}, commands);
}

void record_layers(const GpuPassParts& parts, const GpuBuffers& buffers, const GpuPassShape& shape,
                   GpuLayerRange layers, Commands& commands) {
  PassRecorder(parts, buffers, shape, commands).record(layers);
  commands.end();
}

}  // namespace confab::engine
