// SPDX-License-Identifier: MIT
// Finds the tensors of a layer's latent attention in a model file.
#pragma once

#include "engine/model/weights.h"

namespace confab::engine {

class TensorReader;

// Loads what LatentWeights names, and the queries' matrix (attn_q_b, or attn_q where queries have
// no latent). New files have the expansion of a latent as two stacks of matrices, one a head
// (attn_k_b, attn_v_b); older ones as one matrix (attn_kv_b). Throws ModelError when a tensor is
// missing, or has another shape or type than expected.
void load_latent(const TensorReader& tensors, const Hparams& hparams, int il, LayerWeights& w);

}  // namespace confab::engine
