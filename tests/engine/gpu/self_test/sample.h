// SPDX-License-Identifier: MIT
// Little of a model that has a bit of everything: what its programs are tested on.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/model/layer_plan.h"
#include "engine/model/model_part.h"

namespace confab::engine {

// One layer of each kind, with the sizes and norms of the model and a row of each matrix, of the
// embedding kSampleRows.
inline constexpr std::int64_t kSampleRows = 160;
ModelPart sample_of(ModelView model);

// How the matrices of a format are multiplied, and of what they are.
struct SampledFormat {
  kernels::Dtype dtype{};
  bool in_planes = false;  // once their rows have been copied to a device (gpu_weights.h)
  bool of_experts = false;
  // What becomes of some of the products: they are kept, added to the stream, are those of a gate
  // and what it opens, or of experts whose sum is wanted.
  bool are_kept = false, are_added = false, are_gated = false, are_summed = false;
  Matrix matrix;  // one of them, that with most rows
};
std::vector<SampledFormat> formats_of(const Plan& plan);

// n_rows rows of at most n_cols values, of the bytes of a matrix from the first one on: whole
// blocks, and in planes where the matrix is. As many rows as there are bytes for, in 32s.
Matrix cut(const Matrix& matrix, std::int64_t n_rows, std::int64_t n_cols);

}  // namespace confab::engine
