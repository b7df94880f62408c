// SPDX-License-Identifier: MIT
// The last two regions of a layer: norm, gate, up and activation; down and residual.
#include "engine/forward_state.h"

namespace confab::engine {

void Forward::State::feed_forward(const LayerWeights& w, int il) noexcept {
  const std::int64_t n_ff = layer_hparams(il).n_ff;
  const auto activate = hp.activation == Activation::silu ? kernel.silu_mul : kernel.gelu_mul;
  pack_normed(w.ffn_norm, formats_of({&w.ffn_gate, &w.ffn_up}, options.exact));
  for_each_slice(n_ff, [&](std::int64_t row0, std::int64_t n_rows, int worker) {
    float* gate = buffers.hidden() + row0;
    float* up = buffers.worker(worker);
    project(w.ffn_gate, row0, n_rows, gate, n_ff);
    project(w.ffn_up, row0, n_rows, up, n_rows);
    for (int t = 0; t < n; ++t) {
      activate(gate + t * n_ff, up + t * n_rows, n_rows, gate + t * n_ff);
    }
  });
  pack_rows(buffers.hidden(), static_cast<int>(n_ff), w.ffn_down);
  if (hp.post_norms) {
    leave_projection(w.ffn_down, w.ffn_post_norm);
  } else {
    add_projection(w.ffn_down);
  }
}

}  // namespace confab::engine
