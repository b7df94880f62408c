// SPDX-License-Identifier: MIT
// The one walk over all matrices of a plan: what is multiplied by what. Shapes are checked by it,
// and room is made by it for what is multiplied.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/model/layer_plan.h"
#include "kernels/thread_pool.h"

namespace confab::engine {

struct Product {
  int il;                 // -1: of no layer
  std::string_view name;  // "attn_q"; where a tensor has several matrices, of all of them
  const Matrix& matrix;
  // What the matrix must be by the sizes of the model.
  std::int64_t n_rows;
  std::int64_t n_cols;
  // Values that are packed at once of each token, before the matrix is multiplied by them; 0: where
  // its rows are only looked up, or are multiplied head by head.
  std::int64_t n_packed;

  // The matrix is that of one expert, of as many as there are.
  bool is_of_experts() const noexcept { return name.ends_with("_exps"); }
};

// Calls f for each product, in the order in which a run comes to them. What a file may have and
// this one has not is left out.
void for_each_product(const Plan& plan, kernels::FunctionRef<void(const Product&)> f);

// The first thing in a plan that does not fit the sizes of the model, by its layer and name, and
// the two numbers; empty: all does.
std::string misfit(const Plan& plan);

}  // namespace confab::engine
