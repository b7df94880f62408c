// SPDX-License-Identifier: MIT
#include "engine/model/layer_plan.h"

#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

using When = Residual::When;

// A norm needs whole rows, and a slice of the product does not have them.
Residual residual_of(const Hparams& hp, const Norm& post_norm) noexcept {
  if (!hp.post_norms) return {};
  return {.when = When::before_norm, .norm = post_norm};
}

Residual mixer_residual_of(const Hparams& hp, const LayerWeights& w) noexcept {
  Residual residual = residual_of(hp, w.attn_post_norm);
  if (hp.parallel) residual.when = When::after_norm;
  return residual;
}

LayerPlan plan_layer(const Hparams& hp, const Weights& weights, int il) noexcept {
  const LayerHparams& shape = hp.layers[static_cast<std::size_t>(il)];
  const LayerWeights& w = weights.layers[static_cast<std::size_t>(il)];
  const Mixer mixer = mixer_of(hp, shape);
  const Residual of_mixer = mixer_residual_of(hp, w);
  const Residual of_feed_forward = residual_of(hp, w.ffn_post_norm);
  return {.il = il,
          .shape = shape,
          .weights = w,
          .mixer = mixer,
          .mixer_out = mixer == Mixer::delta_net ? w.delta_net.out : w.attn_output,
          .mixer_input = {.norm = w.attn_norm},
          .mixer_residual = of_mixer,
          .feed_forward = feed_forward_of(hp, shape),
          .feed_forward_input = {.norm = w.ffn_norm, .before = of_mixer},
          .feed_forward_residual = of_feed_forward,
          .has_per_layer_input = hp.n_embd_per_layer > 0,
          .per_layer_input = {.before = of_feed_forward}};
}

// The output that still waits when all parts of a layer are done.
Residual left_by(const LayerPlan& layer) noexcept {
  if (!layer.has_per_layer_input) return layer.feed_forward_residual;
  return {.when = When::before_norm, .norm = layer.weights.per_layer_post_norm};
}

}  // namespace

Mixer mixer_of(const Hparams& hp, const LayerHparams& layer) noexcept {
  if (layer.recurrent) return Mixer::delta_net;
  return hp.latent.kv_rank > 0 ? Mixer::latent_attention : Mixer::attention;
}

FeedForward feed_forward_of(const Hparams& hp, const LayerHparams& layer) noexcept {
  if (!layer.has_experts) return FeedForward::dense;
  return hp.experts.beside_plain ? FeedForward::experts_beside_dense : FeedForward::experts;
}

bool LayerPlan::has_own_keys() const noexcept {
  return shape.kv_layer < 0;
}

Plan::Plan(const Hparams& sizes, const Weights& tensors) : hparams(sizes), weights(tensors) {
  Residual left;
  for (int il = 0; il < hparams.n_layer; ++il) {
    LayerPlan& layer = layers.emplace_back(plan_layer(hparams, weights, il));
    layer.mixer_input.before = left;
    left = left_by(layer);
    (left.when == When::at_once ? layer.x_scale : left.x_scale) = layer.weights.output_scale;
  }
  output_input = {.norm = weights.output_norm, .before = left};
  if (!hparams.has_nextn_head()) return;
  nextn.emplace(NextnPlan{.layer = plan_layer(hparams, weights, hparams.n_layer)});
  nextn->output_input = {.norm = weights.nextn.shared_head_norm, .before = left_by(nextn->layer)};
}

}  // namespace confab::engine
