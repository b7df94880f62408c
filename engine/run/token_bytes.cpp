// SPDX-License-Identifier: MIT
#include "engine/run/token_bytes.h"

#include <algorithm>
#include <cmath>

#include "engine/cache/kv_layout.h"
#include "engine/model/model.h"

namespace confab::engine {
namespace {

double bytes_of_experts(const Weights& w) noexcept {
  double bytes = 0;
  for (const LayerWeights& layer : w.layers) {
    for (const auto* matrices : {&layer.experts.gate, &layer.experts.up, &layer.experts.down}) {
      for (const Matrix& m : *matrices) bytes += static_cast<double>(m.n_bytes());
    }
  }
  return bytes;
}

// The share of the experts that are chosen.
double share_of_experts(const ExpertHparams& experts, int n_tokens) noexcept {
  if (experts.n_expert == 0) return 1;
  const double passed_over = 1 - static_cast<double>(experts.n_expert_used) / experts.n_expert;
  return 1 - std::pow(passed_over, n_tokens);
}

// Bytes not read of a table of which each token takes a row.
double bytes_spared(const Matrix& table, int n_tokens) noexcept {
  if (table.n_rows <= n_tokens) return 0;
  const double share = 1 - static_cast<double>(n_tokens) / static_cast<double>(table.n_rows);
  return static_cast<double>(table.n_bytes()) * share;
}

}  // namespace

double weight_bytes_of_run(const Model& model, int n_tokens) noexcept {
  const Weights& w = model.weights;
  auto bytes = static_cast<double>(w.n_bytes);
  if (w.output.rows.data != w.token_embd.rows.data) bytes -= bytes_spared(w.token_embd, n_tokens);
  bytes -= bytes_spared(w.per_layer_token_embd, n_tokens);
  return bytes - bytes_of_experts(w) * (1 - share_of_experts(model.hparams.experts, n_tokens));
}

double memory_bytes_of_token(const Model& model, const KvLayout& kv, double depth) noexcept {
  const DeltaNetHparams& net = model.hparams.delta_net;
  double bytes = 0;
  for (int il = 0; il < model.hparams.n_layer; ++il) {
    const LayerHparams& layer = model.hparams.layers[static_cast<std::size_t>(il)];
    if (layer.recurrent) {
      bytes += sizeof(float) * static_cast<double>(net.n_v_heads) * net.d_state * net.d_state;
      continue;
    }
    const auto& [n_head_kv, k, v, rotations] = kv.layer(il);
    const std::size_t row = k.row_bytes + (v.offset == k.offset ? 0 : v.row_bytes);
    const double n_seen = layer.window > 0 ? std::min<double>(layer.window, depth) : depth;
    bytes += static_cast<double>(row) * n_head_kv * n_seen;
  }
  return bytes;
}

}  // namespace confab::engine
