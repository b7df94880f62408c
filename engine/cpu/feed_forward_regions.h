// SPDX-License-Identifier: MIT
// The last two regions of a layer: norm, gate, up and activation; down and residual.
#pragma once

#include <cstdint>

namespace confab::engine {

struct ForwardState;
struct LayerWeights;

// Regions: x += what the feed-forward gives, of experts too; or that is left pending.
void feed_forward(ForwardState& s, const LayerWeights& w, int il) noexcept;

// Region: packed rows = activation(gate norm(x)) * up norm(x), or activation(up norm(x)).
void hidden_layer(ForwardState& s, const LayerWeights& w, int il) noexcept;
// gate = activation(gate) * up, of n_values values; up may be all ones.
void activate(const ForwardState& s, float* gate, const float* up, std::int64_t n_values) noexcept;

}  // namespace confab::engine
