// SPDX-License-Identifier: MIT
// A model as it lies on disk: mapped weights, sizes and vocabulary. It is const after load(), so it
// can be shared.
#pragma once

#include <memory>
#include <string>

#include "engine/gguf/gguf.h"
#include "engine/model/hparams.h"
#include "engine/model/weights.h"
#include "engine/text/tokenizer.h"

namespace confab::engine {

struct Model {
  Gguf gguf;
  Hparams hparams;
  Weights weights;  // borrows from gguf
  std::unique_ptr<const Tokenizer> tokenizer;

  // Throws ModelError. Does not read the weights themselves.
  static std::unique_ptr<const Model> load(const std::string& path,
                                           NextnHead head = NextnHead::left_out,
                                           const RopeOptions& rope = {});
};

// Loads everything but the vocabulary: `tokenizer` is nullptr. That suffices for planning memory
// and takes a fraction of the time. Throws ModelError for what Model::load() refuses, except for
// faults in the vocabulary.
Model load_model_shape(Gguf gguf, NextnHead head = NextnHead::left_out,
                       const RopeOptions& rope = {});

}  // namespace confab::engine
