// SPDX-License-Identifier: MIT
// The regions of multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1).
// attention() of attention_regions.h runs between latent_query_key() and latent_values().
#pragma once

namespace confab::engine {

struct ForwardState;
struct LayerPlan;

// Regions: norm and projection to the latents; the cache row and the normed latent of the queries;
// buffers.q().
void latent_query_key(ForwardState& s, const LayerPlan& layer) noexcept;
// Writes the cache row only.
void latent_key(ForwardState& s, const LayerPlan& layer) noexcept;
// Region: buffers.q() = V_b att for each head, [n, n_head, head_dim_v]. The queries are no longer
// needed and are overwritten.
void latent_values(ForwardState& s, const LayerPlan& layer) noexcept;

}  // namespace confab::engine
