// SPDX-License-Identifier: MIT
// What each token gives to each layer directly, beside the stream (Gemma 3n and 4).
#pragma once

namespace confab::engine {

struct ForwardState;
struct LayerPlan;

// Regions: buffers.per_layer() of a run's tokens, once the stream has their embeddings.
void per_layer_inputs(ForwardState& s) noexcept;
// Regions: buffers.y() = a layer's share of them, gated by the stream.
void add_per_layer_input(ForwardState& s, const LayerPlan& layer) noexcept;

}  // namespace confab::engine
