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

// Of all matrices, each once.
std::uint64_t matrix_bytes(const ModelPart& part) {
  std::set<const std::byte*> seen;
  std::uint64_t n_bytes = 0;
  for_each_product(Plan(part.hparams, part.weights), [&](const Product& product) {
    if (seen.insert(product.matrix.rows.data).second) n_bytes += product.matrix.n_bytes();
  });
  return n_bytes;
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

bool can_part(const Hparams& hp, int n) noexcept {
  const int first = hp.n_layer - n;
  const bool reads_keys = std::any_of(
      hp.layers.begin() + first, hp.layers.begin() + hp.n_layer,
      [first](const LayerHparams& layer) { return layer.kv_layer >= 0 && layer.kv_layer < first; });
  return !reads_keys && (first == 0 || hp.n_embd_per_layer == 0);
}

}  // namespace confab::engine
