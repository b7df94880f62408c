// SPDX-License-Identifier: MIT
// The one walk over all matrices of a plan and what they are multiplied by. It is used both to
// check shapes and to size the buffers for the operands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/model/layer_plan.h"
#include "kernels/thread_pool.h"

namespace confab::engine {

struct Product {
  int il;                 // -1: not part of a layer
  std::string_view name;  // "attn_q"; the matrices of one tensor share a name
  const Matrix& matrix;
  // The shape that the sizes of the model require.
  std::int64_t n_rows;
  std::int64_t n_cols;
  // Values packed per token before they are multiplied by the matrix. 0: its rows are only looked
  // up, or multiplied head by head.
  std::int64_t n_packed;

  // The matrix belongs to one expert of many.
  bool is_of_experts() const noexcept { return name.ends_with("_exps"); }
};

// Calls f for each product in the order of execution. Optional tensors that this file lacks are
// left out.
void for_each_product(const Plan& plan, kernels::FunctionRef<void(const Product&)> f);

// Describes the first thing in a plan that does not match the sizes of the model: its layer and
// name, and the two sizes. Empty if everything matches.
std::string misfit(const Plan& plan);

}  // namespace confab::engine
