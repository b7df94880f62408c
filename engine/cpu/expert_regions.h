// SPDX-License-Identifier: MIT
// A feed-forward that is a mixture of experts.
#pragma once

namespace confab::engine {

struct ForwardState;
struct LayerPlan;

// Regions: the router, the hidden rows of the experts that were chosen, and the sum of what they
// give, which is added to x or left in buffers.y(), as layer.feed_forward_residual says.
void experts(ForwardState& s, const LayerPlan& layer) noexcept;

}  // namespace confab::engine
