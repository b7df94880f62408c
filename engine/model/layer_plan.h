// SPDX-License-Identifier: MIT
// What to compute, layer by layer: resolved once from the sizes and weights of a model, so that
// what runs a layer reads here of which kind its parts are and how they meet in the residual stream
// x, and asks nothing of other layers.
#pragma once

#include <optional>
#include <vector>

#include "engine/model/weights.h"

namespace confab::engine {

struct Hparams;
struct LayerHparams;

enum class Mixer { attention, latent_attention, delta_net };
enum class FeedForward { dense, experts, experts_beside_dense };

// Of which kind the parts of a layer are, and so which tensors it has.
Mixer mixer_of(const Hparams& hparams, const LayerHparams& layer) noexcept;
FeedForward feed_forward_of(const Hparams& hparams, const LayerHparams& layer) noexcept;

// How what a part of a layer gives is added to x. What is not added at once waits in a buffer of
// its own for the next part, which adds it when it reads x: before x is normed for that part, or
// after, so that the two parts stand side by side.
struct Residual {
  enum class When { at_once, before_norm, after_norm };
  When when = When::at_once;
  Norm norm{};                     // of what waits; without weights, it is added as it is
  const float* x_scale = nullptr;  // x is multiplied by this once what waited has been added
};

// How a part reads x: with what the part before it gave, and normed where there are weights.
struct StreamInput {
  Norm norm{};
  Residual before{};  // at_once: nothing waits
};

// The references are to what the plan was made of.
struct LayerPlan {
  int il;
  const LayerHparams& shape;
  const LayerWeights& weights;

  Mixer mixer;
  const Matrix& mixer_out;  // its last product
  StreamInput mixer_input{};
  Residual mixer_residual{};

  FeedForward feed_forward;
  StreamInput feed_forward_input{};
  Residual feed_forward_residual{};

  // What each token gives to this layer directly is added at its end, and always waits.
  bool has_per_layer_input;
  StreamInput per_layer_input{};

  const float* x_scale = nullptr;  // x is multiplied by this at the end, when nothing waits

  bool has_own_keys() const noexcept;  // else those of an earlier layer: LayerHparams::kv_layer
};

// The head that guesses the token after the next: a block of its own over eh_proj [enorm(embedding
// of the next token) | hnorm(what the output read of the token before it)].
struct NextnPlan {
  LayerPlan layer;             // il: n_layer
  StreamInput output_input{};  // of the product that gives its logits
};

struct Plan {
  const Hparams& hparams;
  const Weights& weights;
  std::vector<LayerPlan> layers;  // [n_layer]
  StreamInput output_input{};     // of the product that gives the logits
  std::optional<NextnPlan> nextn;

  // Both must outlive the plan.
  Plan(const Hparams& sizes, const Weights& tensors);
};

}  // namespace confab::engine
