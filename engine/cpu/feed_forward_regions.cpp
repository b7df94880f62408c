// SPDX-License-Identifier: MIT
// The last two regions of a layer: norm, gate, up and activation; down and residual.
#include <algorithm>

#include "engine/cpu/forward_state.h"

namespace confab::engine {

namespace {

void relu2_mul(const float* gate, const float* up, std::int64_t n, float* y) noexcept {
  for (std::int64_t i = 0; i < n; ++i) {
    const float above = std::max(gate[i], 0.0F);
    y[i] = above * above * up[i];
  }
}

}  // namespace

void Forward::State::activate(float* gate, const float* up, std::int64_t n_values) const noexcept {
  switch (hp.activation) {
    case Activation::silu:
      return kernel.silu_mul(gate, up, n_values, gate);
    case Activation::gelu:
      return kernel.gelu_mul(gate, up, n_values, gate);
    case Activation::relu2:
      return relu2_mul(gate, up, n_values, gate);
    case Activation::swiglu_oai:
      return kernel.swiglu_oai(gate, up, n_values, gate);
  }
}

// Region: packed rows = activation(gate norm(x)) * up norm(x), or activation(up norm(x)).
void Forward::State::hidden_layer(const LayerWeights& w, int il) noexcept {
  const std::int64_t n_ff = layer_hparams(il).n_ff;
  pack_normed(w.ffn_norm, formats_of({&w.ffn_gate, &w.ffn_up}, options.exact));
  for_each_slice(n_ff, [&](std::int64_t row0, std::int64_t n_rows, int worker) {
    float* hidden = buffers.hidden() + row0;
    float* factors = buffers.worker(worker);
    project(hp.has_ffn_gate ? w.ffn_gate : w.ffn_up, row0, n_rows, hidden, n_ff);
    if (hp.has_ffn_gate) {
      project(w.ffn_up, row0, n_rows, factors, n_rows);
    } else {
      std::fill_n(factors, n_rows, 1.0F);
    }
    const std::int64_t stride = hp.has_ffn_gate ? n_rows : 0;
    for (int t = 0; t < n; ++t) activate(hidden + t * n_ff, factors + t * stride, n_rows);
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
