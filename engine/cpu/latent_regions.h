// SPDX-License-Identifier: MIT
// The regions of multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1), with
// attention() of attention_regions.h between the two.
#pragma once

namespace confab::engine {

struct ForwardState;
struct LayerPlan;

// Regions: norm and projection to the latents; the row of the cache, and the latent of the queries
// normed; buffers.q().
void latent_query_key(ForwardState& s, const LayerPlan& layer) noexcept;
// The row of the cache alone.
void latent_key(ForwardState& s, const LayerPlan& layer) noexcept;
// Region: buffers.q() = V_b att of each head, [n, n_head, head_dim_v]; the queries have done their
// work.
void latent_values(ForwardState& s, const LayerPlan& layer) noexcept;

}  // namespace confab::engine
