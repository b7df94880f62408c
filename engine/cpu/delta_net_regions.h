// SPDX-License-Identifier: MIT
// A layer that uses a gated delta rule instead of attention (Yang et al., arXiv:2412.06464; used by
// Qwen3-Next and Qwen3.5).
#pragma once

namespace confab::engine {

struct ForwardState;
struct LayerPlan;

// Regions: norm and projections, convolution, the heads. Writes buffers.att() and the cache's
// recurrent state of this layer. The state first takes in the tokens in flight; the run's own
// tokens are then taken in as well, or stay in flight if RunPart::in_flight says so.
void delta_net(ForwardState& s, const LayerPlan& layer) noexcept;

}  // namespace confab::engine
