// SPDX-License-Identifier: MIT
// The regions of multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1), with
// attention() of attention_regions.h between the two.
#pragma once

namespace confab::engine {

struct ForwardState;
struct LatentWeights;
struct LayerWeights;

// Regions: norm and projection to the latents; the row of the cache, and the latent of the queries
// normed; buffers.q().
void latent_query_key(ForwardState& s, const LayerWeights& w, int il) noexcept;
// Region: buffers.q() = V_b att of each head, [n, n_head, head_dim_v]; the queries have done their
// work.
void latent_values(ForwardState& s, const LatentWeights& l, int il) noexcept;

}  // namespace confab::engine
