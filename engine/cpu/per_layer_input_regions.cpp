// SPDX-License-Identifier: MIT
// What each token gives to each layer directly, beside the stream (Gemma 3n and 4): made once a run
// from an embedding of the token's own and a projection of the stream's, and added, gated by the
// stream, at the end of each layer.
#include "engine/cpu/per_layer_input_regions.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/cpu/forward_state.h"

namespace confab::engine {

// Regions: inputs [n, n_layer, n_embd_per_layer] =
//   (rms_norm(projection of x / sqrt(n_embd)) + embedding * sqrt(n_embd_per_layer)) / sqrt(2).
void per_layer_inputs(ForwardState& s) noexcept {
  const Matrix& projection = s.weights.per_layer_model_proj;
  const std::int64_t n_all = projection.n_rows;
  const std::int64_t n_one = s.hp.n_embd_per_layer;
  s.pack_normed({}, formats_of({&projection}, s.options.exact));
  s.for_each_slice(n_all, [&](std::int64_t row0, std::int64_t n_rows, int) {
    s.project(projection, row0, n_rows, s.buffers.per_layer() + row0, n_all);
  });
  const float of_projection = 1 / std::sqrt(static_cast<float>(s.hp.n_embd));
  const float of_embedding = std::sqrt(static_cast<float>(n_one));
  const float of_sum = 1 / std::sqrt(2.0F);
  s.for_each_token([&](int t, int worker) {
    float* inputs = s.buffers.per_layer() + t * n_all;
    float* embedding = s.buffers.worker(worker);
    s.look_up(s.weights.per_layer_token_embd, s.tokens[static_cast<std::size_t>(t)], embedding);
    for (std::int64_t i = 0; i < n_all; ++i) inputs[i] *= of_projection;
    for (std::int64_t i = 0; i < n_all; i += n_one) {
      s.kernel.rms_norm(inputs + i, s.weights.per_layer_proj_norm, n_one, s.hp.norm_eps,
                        inputs + i);
    }
    for (std::int64_t i = 0; i < n_all; ++i) {
      inputs[i] = (inputs[i] + embedding[i] * of_embedding) * of_sum;
    }
  });
}

// Regions: y = proj (gelu(gate x) * input of this layer).
void add_per_layer_input(ForwardState& s, const LayerPlan& layer) noexcept {
  const LayerWeights& w = layer.weights;
  const std::int64_t n_one = s.hp.n_embd_per_layer;
  const std::int64_t n_all = n_one * s.hp.n_layer;
  assert(w.per_layer_gate.n_rows == n_one && w.per_layer_gate.rows.n_cols == s.hp.n_embd);
  s.pack_normed(layer.per_layer_input, formats_of({&w.per_layer_gate}, s.options.exact));
  s.for_each_slice(n_one, [&](std::int64_t row0, std::int64_t n_rows, int) {
    float* gate = s.buffers.hidden() + row0;
    const float* input = s.buffers.per_layer() + layer.il * n_one + row0;
    s.project(w.per_layer_gate, row0, n_rows, gate, n_one);
    for (int t = 0; t < s.n; ++t) {
      s.kernel.gelu_mul(gate + t * n_one, input + t * n_all, n_rows, gate + t * n_one);
    }
  });
  s.pack_rows(s.buffers.hidden(), static_cast<int>(n_one), w.per_layer_proj);
  s.add_projection(w.per_layer_proj, Residual::When::before_norm);
}

}  // namespace confab::engine
