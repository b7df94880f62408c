// SPDX-License-Identifier: MIT
// The plain feed-forward that stands beside a mixture of experts (Gemma 4).
#pragma once

namespace confab::engine {

struct ExpertWeights;
struct ForwardState;
struct LayerPlan;

// Regions: buffers.beside() = what the plain feed-forward gives.
void plain_beside(ForwardState& s, const LayerPlan& layer) noexcept;
// Region: buffers.y() = norm(beside) + norm(y).
void add_plain_beside(ForwardState& s, const ExpertWeights& w) noexcept;

}  // namespace confab::engine
