// SPDX-License-Identifier: MIT
// What a forward pass reads of a model, whole or cut between two layers: where one device has some
// of its layers, and another one the rest.
#pragma once

#include "engine/model/hparams.h"
#include "engine/model/weights.h"

namespace confab::engine {

struct Model;

// Borrowed; what it is of must outlive who is given it.
struct ModelView {
  const Hparams& hparams;
  const Weights& weights;

  ModelView(const Hparams& sizes, const Weights& tensors) : hparams(sizes), weights(tensors) {}
  ModelView(const Model& model);  // NOLINT(google-explicit-constructor): all of it
};

// Layers of a model, with sizes of their own, that borrow from it. Their numbers begin at 0;
// weights.n_bytes is that of their matrices.
struct ModelPart {
  Hparams hparams;
  Weights weights;

  operator ModelView() const noexcept { return {hparams, weights}; }  // NOLINT: all of it
};

// The embedding and the first n layers, 1 or more; "what the output reads" is the stream as they
// leave it, and there are no logits: weights.output is empty.
ModelPart first_layers(const Model& model, int n);
// The last n layers, 1 or more, and the output; they begin with rows of the stream: weights.
// token_embd is empty.
ModelPart last_layers(const Model& model, int n);
// The first layer of each kind (its shapes, its window and the formats of its weights), at most
// n_most, with the embedding and the output: a small model that runs through every kind of work
// that the whole one has.
ModelPart first_of_each_kind(ModelView model, int n_most);
// Whether the last n layers ask nothing of those before but the stream.
bool can_part(const Hparams& hparams, int n) noexcept;

}  // namespace confab::engine
