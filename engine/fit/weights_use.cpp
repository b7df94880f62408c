// SPDX-License-Identifier: MIT
#include "engine/fit/weights_use.h"

#include <algorithm>
#include <cmath>

#include "engine/model/model.h"

namespace confab::engine {
namespace {

// Who touches a page of a file gets those around it that are in memory: Linux, mm/memory.c,
// fault_around_bytes.
constexpr double kTouchedBytes = 64 * 1024;

// Of a table, when rows anywhere in it are looked up so often.
std::uint64_t touched_bytes(std::uint64_t bytes, int n_rows) noexcept {
  const double n_windows = static_cast<double>(bytes) / kTouchedBytes;
  if (n_windows <= 1) return bytes;
  const double missed = std::pow(1 - 1 / n_windows, n_rows);
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * (1 - missed));
}

void add_table(const Matrix& table, int n_ctx, WeightsUse& use) noexcept {
  use.table_bytes += table.n_bytes();
  use.table_read_bytes += touched_bytes(table.n_bytes(), n_ctx);
}

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

WeightsUse weights_use(const Model& model, int n_ctx) noexcept {
  const Weights& w = model.weights;
  WeightsUse use{.file_bytes = model.gguf.file_bytes()};
  std::uint64_t tensor_bytes = 0;
  for (const GgufTensor& tensor : model.gguf.tensors()) tensor_bytes += tensor.n_bytes();
  use.unused_bytes = tensor_bytes - std::min(tensor_bytes, w.n_bytes);
  if (w.output.rows.data != w.token_embd.rows.data) add_table(w.token_embd, n_ctx, use);
  if (w.per_layer_token_embd.n_rows > 0) add_table(w.per_layer_token_embd, n_ctx, use);
  add_experts(model, use);
  return use;
}

}  // namespace confab::engine
