// SPDX-License-Identifier: MIT
// Finds the tensors of a layer's experts in a model file.
#pragma once

#include "engine/model/weights.h"

namespace confab::engine {

class TensorReader;

// Experts lie in the file as three tensors for all (ffn_gate_exps, ffn_up_exps, ffn_down_exps),
// with gate and up in one (ffn_gate_up_exps: the rows of an expert's gate, then those of its up; or
// row by row, kGateUpPairs), or, in files of the first Mixtral, as tensors of their own
// (ffn_gate.0, ffn_gate.1, ...). Throws ModelError when a tensor is missing, or has another shape
// or type than expected.
ExpertWeights load_experts(const TensorReader& tensors, const Hparams& hparams, int il);

}  // namespace confab::engine
