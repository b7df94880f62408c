// SPDX-License-Identifier: MIT
// A model without its vocabulary: all that a plan of its memory looks at, in a fraction of the
// time.
#pragma once

#include "engine/model/model.h"

namespace confab::engine {

// `tokenizer` is nullptr. Throws ModelError for what Model::load() refuses, except for what is
// wrong with the vocabulary.
Model load_model_shape(Gguf gguf, NextnHead head = NextnHead::left_out,
                       const RopeOptions& rope = {});

}  // namespace confab::engine
