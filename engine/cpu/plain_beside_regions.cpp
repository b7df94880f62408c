// SPDX-License-Identifier: MIT
#include "engine/cpu/plain_beside_regions.h"

#include "engine/cpu/feed_forward_regions.h"
#include "engine/cpu/forward_state.h"

namespace confab::engine {

void plain_beside(ForwardState& s, const LayerPlan& layer) noexcept {
  hidden_layer(s, layer);
  s.for_each_slice(s.hp.n_embd, [&](std::int64_t row0, std::int64_t n_rows, int) {
    s.project(layer.weights.ffn_down, row0, n_rows, s.buffers.beside() + row0, s.hp.n_embd);
  });
}

void add_plain_beside(ForwardState& s, const ExpertWeights& w) noexcept {
  s.for_each_token([&](int t, int) {
    float* y = s.buffers.y() + std::int64_t{t} * s.hp.n_embd;
    float* beside = s.buffers.beside() + std::int64_t{t} * s.hp.n_embd;
    s.norm_row(y, w.post_norm, y);
    s.norm_row(beside, w.plain_post_norm, beside);
    s.kernel.add(beside, s.hp.n_embd, y);
  });
}

}  // namespace confab::engine
