// SPDX-License-Identifier: MIT
// The work of a forward pass, layer by layer. The plan is resolved once from the sizes and weights
// of a model. The code that runs a layer reads from it which kinds of parts the layer has and how
// they are added to the residual stream x, and need not look at other layers.
#pragma once

#include <optional>
#include <vector>

#include "engine/model/weights.h"

namespace confab::engine {

struct Hparams;
struct LayerHparams;

enum class Mixer { attention, latent_attention, delta_net };
enum class FeedForward { dense, experts, experts_beside_dense };

// The kind of each part of a layer, which also determines its tensors.
Mixer mixer_of(const Hparams& hparams, const LayerHparams& layer) noexcept;
FeedForward feed_forward_of(const Hparams& hparams, const LayerHparams& layer) noexcept;

// How the output of a part of a layer is added to x. Output that is not added at once waits in a
// separate buffer for the next part. That part adds it when it reads x: either before x is normed
// for it, or after, so that the two parts run side by side.
struct Residual {
  enum class When { at_once, before_norm, after_norm };
  When when = When::at_once;
  Norm norm{};                     // for the waiting output; without weights it is added unchanged
  const float* x_scale = nullptr;  // x is multiplied by this once the waiting output has been added
};

// How a part reads x: together with the output of the part before it, and normed if there are
// weights.
struct StreamInput {
  Norm norm{};
  Residual before{};  // at_once: nothing waits
};

// The references borrow from whatever the plan was made of.
struct LayerPlan {
  int il;
  const LayerHparams& shape;
  const LayerWeights& weights;

  Mixer mixer;
  const Matrix& mixer_out;  // the last matrix of the mixer
  StreamInput mixer_input{};
  Residual mixer_residual{};

  FeedForward feed_forward;
  StreamInput feed_forward_input{};
  Residual feed_forward_residual{};

  // The input that each token gives directly to this layer is added at the end of the layer. It
  // always waits.
  bool has_per_layer_input;
  StreamInput per_layer_input{};

  const float* x_scale = nullptr;  // x is multiplied by this at the end if nothing waits

  bool has_own_keys() const noexcept;  // otherwise it uses those of LayerHparams::kv_layer
};

// The head that predicts the token after the next: a whole block, whose input is eh_proj applied to
// [enorm(embedding of the next token) | hnorm(the output's input at the token before it)].
struct NextnPlan {
  LayerPlan layer;             // il: n_layer
  StreamInput output_input{};  // read by the product that gives the head's logits
};

struct Plan {
  const Hparams& hparams;
  const Weights& weights;
  std::vector<LayerPlan> layers;  // [n_layer]
  StreamInput output_input{};     // read by the product that gives the logits
  std::optional<NextnPlan> nextn;

  // Both arguments must outlive the plan.
  Plan(const Hparams& sizes, const Weights& tensors);
};

}  // namespace confab::engine
