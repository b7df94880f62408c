// SPDX-License-Identifier: MIT
#include "engine/fit/memory_plan.h"

#include <algorithm>

#include "engine/model/model.h"

namespace confab::engine {
namespace {

void add_experts(const Model& model, WeightsUse& use) noexcept {
  const auto n_expert = static_cast<std::uint64_t>(std::max(1, model.hparams.experts.n_expert));
  const auto n_used = static_cast<std::uint64_t>(model.hparams.experts.n_expert_used);
  for (const LayerWeights& layer : model.weights.layers) {
    for (const auto* matrices : {&layer.experts.gate, &layer.experts.up, &layer.experts.down})
      for (const Matrix& m : *matrices) use.expert_bytes += m.n_bytes();
  }
  use.expert_token_bytes = use.expert_bytes / n_expert * n_used;
}

}  // namespace

WeightsUse weights_use(const Model& model) noexcept {
  const Weights& w = model.weights;
  WeightsUse use{.file_bytes = model.gguf.file_bytes()};
  std::uint64_t tensor_bytes = 0;
  for (const GgufTensor& tensor : model.gguf.tensors()) tensor_bytes += tensor.n_bytes();
  use.unused_bytes = tensor_bytes - std::min(tensor_bytes, w.n_bytes);
  for (const Matrix* table : {&w.token_embd, &w.per_layer_token_embd}) {
    if (table->file != nullptr) use.table_bytes += table->n_bytes();
  }
  add_experts(model, use);
  return use;
}

double MemoryPlan::missing_token_bytes() const noexcept {
  if (fits() || expert_bytes == 0) return 0;
  const std::uint64_t left = available_bytes - std::min(available_bytes, resident_bytes());
  const double kept = static_cast<double>(left) / static_cast<double>(expert_bytes);
  return static_cast<double>(expert_token_bytes) * std::max(0.0, 1 - kept);
}

}  // namespace confab::engine
