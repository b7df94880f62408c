// SPDX-License-Identifier: MIT
// The feed-forward regions of a layer, dense or a mixture of experts.
#pragma once

#include <cstdint>

#include "engine/model/hparams.h"
#include "kernels/kernel_table.h"

namespace confab::engine {

struct ForwardState;
struct LayerPlan;

// Regions: adds the output of the feed-forward (dense or experts) to x, or leaves it in
// buffers.y(), as layer.feed_forward_residual says.
void feed_forward(ForwardState& s, const LayerPlan& layer) noexcept;

// gate = activation(gate) * up, for n_values values. A model without gates passes ones as `up`.
void activate(const kernels::KernelTable& kernel, Activation activation, float* gate,
              const float* up, std::int64_t n_values) noexcept;

}  // namespace confab::engine
