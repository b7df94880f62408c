// SPDX-License-Identifier: MIT
// A feed-forward that is a mixture of experts.
#pragma once

namespace confab::engine {

struct ForwardState;
struct LayerWeights;

// Regions: the router, the hidden rows of the experts that were chosen, and the sum of what they
// give, which is added to x or left pending.
void experts(ForwardState& s, const LayerWeights& layer, int il) noexcept;

}  // namespace confab::engine
