// SPDX-License-Identifier: MIT
#include "engine/model/model_part.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "engine/model/layer_plan.h"
#include "engine/model/model.h"
#include "engine/model/products.h"

namespace confab::engine {
namespace {

// Counts each matrix once.
std::uint64_t matrix_bytes(const ModelPart& part) {
  std::set<const std::byte*> seen;
  std::uint64_t n_bytes = 0;
  for_each_product(Plan(part.hparams, part.weights), [&](const Product& product) {
    if (seen.insert(product.matrix.rows.data).second) n_bytes += product.matrix.n_bytes();
  });
  return n_bytes;
}

// Layers with equal values here are run by the same programs.
std::vector<int> kind_of(const LayerPlan& layer) {
  const LayerHparams& s = layer.shape;
  const LayerWeights& w = layer.weights;
  std::vector<int> kind{s.n_head, s.n_head_kv,   s.head_dim_k, s.head_dim_v,
                        s.n_ff,   s.has_experts, s.window > 0, s.rope};
  const auto note = [&kind](const Matrix& m) {
    kind.push_back(m.n_rows > 0 ? static_cast<int>(m.rows.dtype) : -1);
  };
  for (const Matrix* m : {&w.attn_q, &w.attn_k, &w.attn_v, &w.attn_output, &w.ffn_gate, &w.ffn_up,
                          &w.ffn_down, &w.experts.router, &w.experts.shared_up})
    note(*m);
  for (const std::vector<Matrix>* experts : {&w.experts.gate, &w.experts.up, &w.experts.down})
    note(experts->empty() ? Matrix{} : experts->front());
  return kind;
}

}  // namespace

ModelView::ModelView(const Model& model) : ModelView(model.hparams, model.weights) {}

ModelPart first_layers(const Model& model, int n) {
  assert(n >= 1 && n <= model.hparams.n_layer);
  ModelPart part{model.hparams, model.weights};
  part.hparams.n_layer = n;
  part.hparams.layers.resize(static_cast<std::size_t>(n));
  part.weights.layers.resize(static_cast<std::size_t>(n));
  part.weights.nextn = {};
  part.weights.output_norm = {};
  part.weights.output = {};
  part.weights.n_bytes = matrix_bytes(part);
  return part;
}

ModelPart last_layers(const Model& model, int n) {
  const Hparams& hp = model.hparams;
  assert(n >= 1 && n <= hp.n_layer && can_part(hp, n));
  const int first = hp.n_layer - n;
  ModelPart part{hp, model.weights};
  part.hparams.n_layer = n;
  const auto cut = [&](auto& layers) {
    layers.erase(layers.begin() + hp.n_layer, layers.end());
    layers.erase(layers.begin(), layers.begin() + first);
  };
  cut(part.hparams.layers);
  cut(part.weights.layers);
  for (LayerHparams& layer : part.hparams.layers)
    if (layer.kv_layer >= 0) layer.kv_layer -= first;
  part.weights.nextn = {};
  part.weights.token_embd = {};
  part.weights.n_bytes = matrix_bytes(part);
  return part;
}

ModelPart first_of_each_kind(ModelView model, int n_most) {
  ModelPart part{model.hparams, model.weights};
  part.hparams.layers.clear();
  part.weights.layers.clear();
  std::set<std::vector<int>> seen;
  for (const LayerPlan& layer : Plan(model.hparams, model.weights).layers) {
    const bool has_room = static_cast<int>(part.hparams.layers.size()) < n_most;
    if (!has_room || !layer.has_own_keys() || !seen.insert(kind_of(layer)).second) continue;
    part.hparams.layers.push_back(layer.shape);
    part.weights.layers.push_back(layer.weights);
  }
  part.hparams.n_layer = static_cast<int>(part.hparams.layers.size());
  part.weights.nextn = {};
  part.weights.n_bytes = matrix_bytes(part);
  return part;
}

bool can_part(const Hparams& hp, int n) noexcept {
  const int first = hp.n_layer - n;
  const bool reads_keys = std::any_of(
      hp.layers.begin() + first, hp.layers.begin() + hp.n_layer,
      [first](const LayerHparams& layer) { return layer.kv_layer >= 0 && layer.kv_layer < first; });
  return !reads_keys && (first == 0 || hp.n_embd_per_layer == 0);
}

}  // namespace confab::engine
