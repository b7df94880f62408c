// SPDX-License-Identifier: MIT
// The feed-forward half of a layer, as commands.
#include <algorithm>

#include "engine/gpu/pass_recorder.h"
#include "engine/model/hparams.h"

namespace confab::engine {

using kernels::vulkan::Shader;

bool PassRecorder::hidden_at_once(const GpuLayer& layer) const {
  return shape_.n_rows <= kMostTokens && layer.gate.n_rows > 0 &&
         layer.gate.dtype == layer.up.dtype && !layer.down.reads_floats() &&
         layer.up.n_rows % 32 == 0;
}

void PassRecorder::feed_forward(const GpuLayer& layer) {
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

}  // namespace confab::engine
