// SPDX-License-Identifier: MIT
// The last two regions of a layer: norm, gate, up and activation; down and residual.
#include "engine/cpu/feed_forward_regions.h"

#include <algorithm>
#include <cassert>

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

void activate(const kernels::KernelTable& kernel, Activation activation, float* gate,
              const float* up, std::int64_t n_values) noexcept {
  switch (activation) {
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

void hidden_layer(ForwardState& s, const LayerPlan& layer) noexcept {
  const LayerWeights& w = layer.weights;
  const std::int64_t n_ff = layer.shape.n_ff;
  assert(w.ffn_up.n_rows == n_ff && w.ffn_up.rows.n_cols == s.hp.n_embd);
  assert(!s.hp.has_ffn_gate || w.ffn_gate.n_rows == n_ff);
  s.pack_normed(layer.feed_forward_input, formats_of({&w.ffn_gate, &w.ffn_up}, s.options.exact));
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
    for (int t = 0; t < s.n; ++t) {
      activate(s.kernel, s.hp.activation, hidden + t * n_ff, factors + t * stride, n_rows);
    }
  });
  s.pack_rows(s.buffers.hidden(), static_cast<int>(n_ff), w.ffn_down);
}

void feed_forward(ForwardState& s, const LayerPlan& layer) noexcept {
  if (layer.feed_forward != FeedForward::dense) return experts(s, layer);
  hidden_layer(s, layer);
  s.add_projection(layer.weights.ffn_down, layer.feed_forward_residual.when);
}

}  // namespace confab::engine
