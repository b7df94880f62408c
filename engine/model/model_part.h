// SPDX-License-Identifier: MIT
// The part of a model that a forward pass reads: the whole model, or a part of it cut between two
// layers so that two devices can share it.
#pragma once

#include "engine/model/hparams.h"
#include "engine/model/weights.h"

namespace confab::engine {

struct Model;

// Borrowed: the sizes and weights must outlive every user of the view.
struct ModelView {
  const Hparams& hparams;
  const Weights& weights;

  ModelView(const Hparams& sizes, const Weights& tensors) : hparams(sizes), weights(tensors) {}
  ModelView(const Model& model);  // NOLINT(google-explicit-constructor): all of it
};

// Some layers of a model with their sizes, borrowed from it. Layer numbers begin at 0.
// weights.n_bytes counts only the matrices of these layers.
struct ModelPart {
  Hparams hparams;
  Weights weights;

  operator ModelView() const noexcept { return {hparams, weights}; }  // NOLINT: all of it
};

// Returns the embedding and the first n layers, n >= 1. "The output's input" is then the stream
// after these layers. There are no logits: weights.output is empty.
ModelPart first_layers(const Model& model, int n);
// Returns the last n layers, n >= 1, and the output. The pass begins with rows of the stream, so
// weights.token_embd is empty.
ModelPart last_layers(const Model& model, int n);
// Returns the first layer of each kind, at most n_most, with the embedding and the output. The kind
// is a layer's shapes, its window and the formats of its weights. The result is a small model that
// exercises every kind of work in the whole one.
ModelPart first_of_each_kind(ModelView model, int n_most);
// Returns true if the last n layers need nothing but the stream from the layers before them.
bool can_part(const Hparams& hparams, int n) noexcept;

}  // namespace confab::engine
