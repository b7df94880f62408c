// SPDX-License-Identifier: MIT
// Records the feed-forward half of a layer, dense or a mixture of experts.
//
// If each expert has few tokens, every choice is a separate product with a matrix that the device
// itself has chosen. If experts have many tokens, the choices are sorted by expert, so that a
// matrix is read once for a tile of them.
#include <algorithm>
#include <bit>
#include <cassert>

#include "engine/gpu/pass_recorder.h"
#include "engine/model/hparams.h"

namespace confab::engine {

using kernels::vulkan::Shader;

// Whether one program computes both products, the activation, and the packed rows that the next
// product reads.
bool PassRecorder::hidden_at_once(const Through& t) const {
  const GpuMlp& mlp = t.mlp;
  const bool by_cores = few_by_cores(mlp.up, t.in);
  return t.in.is_few() && mlp.gate.n_rows > 0 && mlp.gate.dtype == mlp.up.dtype &&
         by_cores == few_by_cores(mlp.down, t.in) && (by_cores || !mlp.down.reads_floats()) &&
         mlp.up.n_rows % 32 == 0;
}

void PassRecorder::multiply_to_hidden(const Through& t) {
  const GpuMlp& mlp = t.mlp;
  if (!hidden_at_once(t)) {
    const bool has_gate = mlp.gate.n_rows > 0;
    if (has_gate) product(mlp.gate, t.x, {t.hidden.rows.floats}, t.in);
    product(mlp.up, t.x, {has_gate ? t.hidden.up : t.hidden.rows.floats}, t.in);
    return;
  }
  MatvecArguments arguments(mlp.gate, t.in.ids);
  arguments.w2 = mlp.up.data;
  arguments.bias2 = mlp.up.bias;
  arguments.scale2 = mlp.up.scale;
  arguments.y =
      few_by_cores(mlp.up, t.in) ? GpuPacked{.codes = t.hidden.rows.halves} : t.hidden.rows.packed;
  arguments.squares = t.x.squares;
  arguments.added = hp_.experts.weights_scale;  // used if experts are chosen
  dispatch_few(mlp.up, arguments, t.x, Store::hidden, t.in);
}

void PassRecorder::activate_hidden(const Through& t) {
  const std::uint32_t n_quarters = t.mlp.up.n_rows / 4 * static_cast<std::uint32_t>(t.in.n);
  dispatch(Shader::activate,
           {kInvocations, static_cast<std::uint32_t>(hp_.activation),
            t.mlp.gate.n_rows > 0 ? 1U : 0U, t.mlp.down.reads_floats() ? 0U : 1U},
           ActivateArguments{t.hidden.rows.floats, t.hidden.up, t.hidden.rows.packed,
                             halves_of(t.hidden.rows, t.in.n), n_quarters},
           {count(n_quarters, kInvocations)});
}

void PassRecorder::hidden_rows(std::span<const Through> all) {
  for (const Through& t : all) multiply_to_hidden(t);
  commands_.barrier();
  if (std::ranges::all_of(all, [this](const Through& t) { return hidden_at_once(t); })) return;
  for (const Through& t : all)
    if (!hidden_at_once(t)) activate_hidden(t);
  commands_.barrier();
}

void PassRecorder::dense_hidden(const GpuLayer& layer) {
  const Readers readers({&layer.mlp.gate, &layer.mlp.up});
  const GpuActivations x = read_stream(layer.feed_forward_input, readers);
  const Through through{layer.mlp, x, b_.hidden, all_rows()};
  hidden_rows({&through, 1});
}

// A router has few rows. They keep a device busier if the rows of x are separate; tiles would leave
// it idle.
void PassRecorder::ask_router(const GpuMatrix& router, const GpuActivations& x, std::uint64_t y) {
  Rows rows = all_rows();
  if (!rows.is_few() && (!router.reads_floats() || uses_matrix_cores(router, rows)))
    return product(router, x, {y}, rows);
  rows.apart = rows.is_few() ? 1 : kMostTokens;
  few_products(router, x, {y}, rows);
}

void PassRecorder::ask_routers(const GpuExperts& experts, const GpuActivations& x) {
  const GpuExpertBuffers& b = b_.experts;
  ask_router(experts.router, x, b.logits);
  if (experts.shared_router.n_rows > 0) ask_router(experts.shared_router, x, b.shared_logits);
}

// Whether the routers can read the stream directly, so that they need not wait for its norm.
bool PassRecorder::routers_norm(const GpuLayer& layer) const {
  const GpuExperts& e = layer.experts;
  const auto can = [this](const GpuMatrix& m) {
    return m.n_rows == 0 || (m.reads_floats() && !few_by_cores(m, all_rows()));
  };
  return !is_normed_ && all_rows().is_few() && is_plain_norm(layer.feed_forward_input) &&
         can(e.router) && can(e.shared_router);
}

void PassRecorder::route(const GpuExperts& experts, const GpuActivations& x) {
  ask_routers(experts, x);
  commands_.barrier();
  if (!chooses_at_once(experts)) choose(experts);
}

void PassRecorder::choose(const GpuExperts& experts) {
  const ExpertHparams& e = hp_.experts;
  const GpuExpertBuffers& b = b_.experts;
  dispatch(
      Shader::route,
      {row_workgroup(4 * u32(e.n_expert)), static_cast<std::uint32_t>(e.gating), u32(e.n_expert),
       u32(e.n_expert_used), u32(e.n_group), u32(e.n_group_used), e.normalise_weights ? 1U : 0U},
      RouteArguments{b.logits, experts.selection_bias, experts.down_scales, b.ids, b.weights,
                     e.weights_scale},
      {u32(shape_.n_rows)});
  commands_.barrier();
}

Readers PassRecorder::readers_of_experts(const GpuExperts& e) {
  return Readers({&e.chosen.gate, &e.chosen.up, &e.shared.gate, &e.shared.up});
}

Readers PassRecorder::readers_of_mixture(const GpuExperts& e) {
  return Readers(
      {&e.router, &e.shared_router, &e.chosen.gate, &e.chosen.up, &e.shared.gate, &e.shared.up});
}

GpuActivations PassRecorder::stream_for_routers(const GpuLayer& layer) const {
  GpuActivations stream;
  stream.floats = b_.x;
  stream.norm_weight = layer.feed_forward_input.norm.weight;
  return stream;
}

GpuActivations PassRecorder::route_stream(const GpuLayer& layer) {
  const GpuExperts& e = layer.experts;
  const GpuStreamInput& input = layer.feed_forward_input;
  if (!routers_norm(layer)) {
    const GpuActivations x = read_stream(input, readers_of_mixture(e));
    route(e, x);
    return x;
  }
  ask_routers(e, stream_for_routers(layer));
  const GpuActivations x = read_stream(input, readers_of_experts(e));
  if (!chooses_at_once(e)) choose(e);
  return x;
}

// Sorts the choices by expert and gathers their activations in that order.
void PassRecorder::group(const GpuExperts& experts, int n_choices) {
  const GpuExpertBuffers& b = b_.experts;
  dispatch(Shader::group, {kInvocations, u32(hp_.experts.n_expert), kTileRows},
           GroupArguments{b.ids, b.places, b.sources, b.tiles, b.grids, u32(n_choices),
                          count(experts.chosen.up.n_rows, kTile),
                          count(experts.chosen.down.n_rows, kTile)},
           {});
  commands_.barrier_for_grids();
  const Readers readers({&experts.chosen.gate, &experts.chosen.up});
  const std::uint32_t n_cols = experts.chosen.up.n_cols;
  dispatch(Shader::gather,
           {row_workgroup(n_cols / 4), u32(hp_.experts.n_expert_used), readers.packed ? 1U : 0U,
            readers.floats ? 1U : 0U},
           GatherArguments{b.sources, b_.normed.packed, b.gathered.packed, b_.normed.floats,
                           b.gathered.floats, halves_of(b_.normed, n_choices),
                           halves_of(b.gathered, n_choices), n_cols},
           {u32(n_choices)});
  commands_.barrier();
}

bool PassRecorder::is_grouped() const {
  const ExpertHparams& e = hp_.experts;
  return shape_.n_rows * e.n_expert_used > kManyChoices * e.n_expert;
}

// Whether the second product of the experts also sums their outputs.
bool PassRecorder::sums_at_once(const GpuExperts& experts) const {
  return !is_grouped() && experts.shared.up.n_rows == 0;
}

Through PassRecorder::through_chosen(const GpuExperts& experts, const GpuActivations& x) const {
  const int n_used = hp_.experts.n_expert_used;
  return {experts.chosen,
          x,
          b_.hidden,
          {.n = shape_.n_rows * n_used, .ids = b_.experts.ids, .n_sharing = n_used}};
}

// Whether the first product of the experts also chooses them. Each workgroup then repeats the
// choice, which for a few rows takes less time than a separate program.
bool PassRecorder::chooses_at_once(const GpuExperts& experts) const {
  return shape_.n_rows <= kMostAlone && !is_grouped() && hp_.experts.n_group <= 1 &&
         experts.selection_bias == 0 && experts.down_scales == 0 &&
         hidden_at_once(through_chosen(experts, b_.normed));
}

void PassRecorder::give(const GpuExperts& experts, const GpuActivations& x, Residual::When when,
                        const Next& next) {
  const ExpertHparams& e = hp_.experts;
  const GpuExpertBuffers& b = b_.experts;
  const int n_choices = shape_.n_rows * e.n_expert_used;
  Through chosen = through_chosen(experts, x);
  chosen.in.chooses = chooses_at_once(experts);
  Rows down{n_choices, b.ids, 1};
  if (is_grouped()) {
    group(experts, n_choices);
    chosen.x = b.gathered;
    chosen.in = down = {.n = n_choices,
                        .tiles = b.tiles,
                        .n_tiles = most_tiles(n_choices, e.n_expert),
                        .grid = b.grids};
    down.grid += kGridBytes;
  }
  const bool shares = experts.shared.up.n_rows > 0;
  const Through all[]{chosen, {experts.shared, x, b.shared_hidden, all_rows()}};
  hidden_rows(std::span(all, shares ? 2 : 1));
  if (sums_at_once(experts)) {
    const Rows tokens{.n = shape_.n_rows, .ids = b.ids, .n_summed = e.n_expert_used};
    return add_to_stream(experts.chosen.down, b_.hidden.rows, tokens, when, next);
  }
  product(experts.chosen.down, b_.hidden.rows, {b.given}, down);
  if (shares) product(experts.shared.down, b.shared_hidden.rows, {b.shared_given}, all_rows());
  commands_.barrier();
  combine(experts, when, next);
}

void PassRecorder::combine(const GpuExperts& experts, Residual::When when, const Next& next) {
  const ExpertHparams& e = hp_.experts;
  const GpuExpertBuffers& b = b_.experts;
  const bool adds = when == Residual::When::at_once;
  is_normed_ = norms_at_once(when, next);
  // small workgroups spread the loads over more of the device
  const std::uint32_t n_invocations = row_workgroup(64);
  dispatch(Shader::combine, {n_invocations, u32(e.n_expert_used), adds ? 1U : 0U},
           CombineArguments{b.given, b.weights, is_grouped() ? b.places : 0,
                            experts.shared.up.n_rows > 0 ? b.shared_given : 0,
                            experts.shared_router.n_rows > 0 ? b.shared_logits : 0,
                            adds ? b_.x : b_.waiting, is_normed_ ? next.input->norm.weight : 0,
                            next.readers.floats ? b_.normed.floats : 0, b_.squares,
                            b_.normed.packed, u32(hp_.n_embd), hp_.residual_scale},
           {count(hp_.n_embd / 4, n_invocations), u32(shape_.n_rows)});
  commands_.barrier();
}

void PassRecorder::mixture(const GpuLayer& layer) {
  const GpuExperts& e = layer.experts;
  const Residual::When when = layer.plan->feed_forward_residual.when;
  if (layer.plan->feed_forward == FeedForward::experts_beside_dense) return mixture_beside(layer);
  give(e, route_stream(layer), when, after_feed_forward(layer));
}

// Router and experts read the stream through separate norms. The outputs of both feed-forwards are
// normed, then added.
void PassRecorder::mixture_beside(const GpuLayer& layer) {
  const GpuExperts& e = layer.experts;
  const Residual::When when = layer.plan->feed_forward_residual.when;
  assert(when != Residual::When::at_once && e.shared.up.n_rows == 0);
  const std::uint64_t beside = b_.experts.shared_given;
  dense_hidden(layer);
  product(layer.mlp.down, b_.hidden.rows, {beside}, all_rows());
  commands_.barrier();
  const Readers of_router({&e.router}), of_experts({&e.chosen.gate, &e.chosen.up});
  read_stream({.norm = e.router_norm}, wanted_of(b_.normed, of_router), of_router.packed);
  route(e, b_.normed);
  read_stream({.norm = e.norm}, wanted_of(b_.normed, of_experts), of_experts.packed);
  give(e, b_.normed, when, {});
  norm_row(b_.waiting, e.post_norm.weight, u32(hp_.n_embd));
  norm_row(beside, e.plain_post_norm.weight, u32(hp_.n_embd));
  commands_.barrier();
  add_rows(b_.waiting, beside);
}

void PassRecorder::feed_forward(const GpuLayer& layer) {
  if (layer.plan->feed_forward != FeedForward::dense) return mixture(layer);
  dense_hidden(layer);
  add_to_stream(layer.mlp.down, b_.hidden.rows, all_rows(), layer.plan->feed_forward_residual.when,
                after_feed_forward(layer));
}

}  // namespace confab::engine
