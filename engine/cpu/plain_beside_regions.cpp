// SPDX-License-Identifier: MIT
// The plain feed-forward that stands beside a mixture of experts (Gemma 4).
#include "engine/cpu/forward_state.h"

namespace confab::engine {

// Regions: beside = what the plain feed-forward gives.
void Forward::State::plain_beside(const LayerWeights& w, int il) noexcept {
  hidden_layer(w, il);
  for_each_slice(hp.n_embd, [&](std::int64_t row0, std::int64_t n_rows, int) {
    project(w.ffn_down, row0, n_rows, buffers.beside() + row0, hp.n_embd);
  });
}

// Region: y = norm(beside) + norm(y).
void Forward::State::add_plain_beside(const ExpertWeights& w) noexcept {
  for_each_token([&](int t, int) {
    float* y = buffers.y() + std::int64_t{t} * hp.n_embd;
    float* beside = buffers.beside() + std::int64_t{t} * hp.n_embd;
    norm_row(y, w.post_norm, y);
    norm_row(beside, w.plain_post_norm, beside);
    kernel.add(beside, hp.n_embd, y);
  });
}

}  // namespace confab::engine
