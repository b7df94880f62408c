// SPDX-License-Identifier: MIT
// What models make of some tokens, wherever their weights lie, and models made of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/gguf/quantize.h"
#include "tests/engine/cpu/run_model.h"

namespace confab::engine {

inline std::vector<float> logits_of(Gguf gguf) {
  Hparams hparams = Hparams::load(gguf);
  Weights weights = Weights::load(gguf, hparams);
  const Model model{std::move(gguf), std::move(hparams), std::move(weights), nullptr};
  return run_model(model, some_tokens(40, 7), {}, {16, 1});
}

// The furthest that logits are apart, as a share of the largest.
inline double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::max(most, std::fabs(double{a[i]} - b[i]));
    largest = std::max(largest, std::fabs(double{b[i]}));
  }
  return a.size() == b.size() && largest > 0 ? most / largest : 1;
}

inline void quantize(Gguf in, const std::string& out, const std::string& type) {
  kernels::ThreadPool pool(1);
  quantize_file({std::move(in), out, *find_file_type(type)},
                *kernels::kernel_table(kernels::Isa::scalar), pool,
                [](const QuantizeProgress&) { return true; });
}

}  // namespace confab::engine
