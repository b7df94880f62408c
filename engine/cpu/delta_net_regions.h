// SPDX-License-Identifier: MIT
// A layer that remembers by a gated delta rule instead of attention (Yang et al., arXiv:2412.06464;
// Qwen3-Next and Qwen3.5).
#pragma once

namespace confab::engine {

struct ForwardState;
struct LayerPlan;

// Regions: norm and projections, convolution, the heads. Writes buffers.att(), and the state that
// the cache has of this layer: takes in what was in flight, and the run's own rows, or leaves those
// in flight.
void delta_net(ForwardState& s, const LayerPlan& layer) noexcept;

}  // namespace confab::engine
