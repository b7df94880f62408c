// SPDX-License-Identifier: MIT
// The feed-forward half of a layer that is dense, as commands.
#include <algorithm>

#include "engine/gpu/pass_recorder.h"
#include "engine/model/hparams.h"

namespace confab::engine {

using kernels::vulkan::Shader;

// Whether one program does both products, the activation and what the next one reads.
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
  arguments.added = hp_.experts.weights_scale;  // where experts are chosen
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

void PassRecorder::feed_forward(const GpuLayer& layer) {
  if (layer.plan->feed_forward != FeedForward::dense) return mixture(layer);
  dense_hidden(layer);
  add_to_stream(layer.mlp.down, b_.hidden.rows, all_rows(), layer.plan->feed_forward_residual.when,
                after_feed_forward(layer));
}

}  // namespace confab::engine
