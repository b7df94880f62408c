// SPDX-License-Identifier: MIT
// The last two regions of a layer: norm, gate, up and activation; down and residual.
#include "engine/cpu/feed_forward_regions.h"

#include <algorithm>

#include "engine/cpu/expert_regions.h"
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

void activate(const ForwardState& s, float* gate, const float* up, std::int64_t n_values) noexcept {
  switch (s.hp.activation) {
    case Activation::silu:
      return s.kernel.silu_mul(gate, up, n_values, gate);
    case Activation::gelu:
      return s.kernel.gelu_mul(gate, up, n_values, gate);
    case Activation::relu2:
      return relu2_mul(gate, up, n_values, gate);
    case Activation::swiglu_oai:
      return s.kernel.swiglu_oai(gate, up, n_values, gate);
  }
}

void hidden_layer(ForwardState& s, const LayerWeights& w, int il) noexcept {
  const std::int64_t n_ff = s.layer_hparams(il).n_ff;
  s.pack_normed(w.ffn_norm, formats_of({&w.ffn_gate, &w.ffn_up}, s.options.exact));
  s.for_each_slice(n_ff, [&](std::int64_t row0, std::int64_t n_rows, int worker) {
    float* hidden = s.buffers.hidden() + row0;
    float* factors = s.buffers.worker(worker);
    s.project(s.hp.has_ffn_gate ? w.ffn_gate : w.ffn_up, row0, n_rows, hidden, n_ff);
    if (s.hp.has_ffn_gate) {
      s.project(w.ffn_up, row0, n_rows, factors, n_rows);
    } else {
      std::fill_n(factors, n_rows, 1.0F);
    }
    const std::int64_t stride = s.hp.has_ffn_gate ? n_rows : 0;
    for (int t = 0; t < s.n; ++t) activate(s, hidden + t * n_ff, factors + t * stride, n_rows);
  });
  s.pack_rows(s.buffers.hidden(), static_cast<int>(n_ff), w.ffn_down);
}

void feed_forward(ForwardState& s, const LayerWeights& w, int il) noexcept {
  if (s.layer_hparams(il).has_experts) return experts(s, w, il);
  hidden_layer(s, w, il);
  if (s.hp.post_norms) {
    s.leave_projection(w.ffn_down, w.ffn_post_norm);
  } else {
    s.add_projection(w.ffn_down);
  }
}

}  // namespace confab::engine
