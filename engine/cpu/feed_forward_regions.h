// SPDX-License-Identifier: MIT
// The last regions of a layer: its feed-forward, dense or a mixture of experts.
#pragma once

#include <cstdint>

#include "engine/model/hparams.h"
#include "kernels/kernel_table.h"

namespace confab::engine {

struct ForwardState;
struct LayerPlan;

// Regions: adds what the feed-forward gives to x, of experts too; or leaves it in buffers.y(), as
// layer.feed_forward_residual says.
void feed_forward(ForwardState& s, const LayerPlan& layer) noexcept;

// gate = activation(gate) * up, of n_values values; up may be all ones.
void activate(const kernels::KernelTable& kernel, Activation activation, float* gate,
              const float* up, std::int64_t n_values) noexcept;

}  // namespace confab::engine
