// SPDX-License-Identifier: MIT
// The last two regions of a layer: norm, gate, up and activation; down and residual.
#include "engine/cpu/forward_state.h"

namespace confab::engine {

void Forward::State::activate(float* gate, const float* up, std::int64_t n_values) const noexcept {
  switch (hp.activation) {
    case Activation::silu:
      return kernel.silu_mul(gate, up, n_values, gate);
    case Activation::gelu:
      return kernel.gelu_mul(gate, up, n_values, gate);
    case Activation::swiglu_oai:
      return kernel.swiglu_oai(gate, up, n_values, gate);
  }
}

// Region: packed rows = activation(gate norm(x)) * up norm(x).
void Forward::State::hidden_layer(const LayerWeights& w, int il) noexcept {
  const std::int64_t n_ff = layer_hparams(il).n_ff;
  pack_normed(w.ffn_norm, formats_of({&w.ffn_gate, &w.ffn_up}, options.exact));
  for_each_slice(n_ff, [&](std::int64_t row0, std::int64_t n_rows, int worker) {
    float* gate = buffers.hidden() + row0;
    float* up = buffers.worker(worker);
    project(w.ffn_gate, row0, n_rows, gate, n_ff);
    project(w.ffn_up, row0, n_rows, up, n_rows);
    for (int t = 0; t < n; ++t) {
      activate(gate + t * n_ff, up + t * n_rows, n_rows);
    }
  });
  pack_rows(buffers.hidden(), static_cast<int>(n_ff), w.ffn_down);
}

void Forward::State::feed_forward(const LayerWeights& w, int il) noexcept {
  if (layer_hparams(il).has_experts) return experts(w, il);
  hidden_layer(w, il);
  if (hp.post_norms) {
    leave_projection(w.ffn_down, w.ffn_post_norm);
  } else {
    add_projection(w.ffn_down);
  }
}

}  // namespace confab::engine
