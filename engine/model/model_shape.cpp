// SPDX-License-Identifier: MIT
#include "engine/model/model_shape.h"

#include <string>
#include <utility>

#include "engine/model/products.h"

namespace confab::engine {

Model load_model_shape(Gguf gguf, NextnHead head, const RopeOptions& rope) {
  Hparams hparams = Hparams::load(gguf, head, rope);
  Weights weights = Weights::load(gguf, hparams);
  if (const std::string why = misfit(Plan(hparams, weights)); !why.empty()) gguf.fail(why);
  return {std::move(gguf), std::move(hparams), std::move(weights), nullptr};
}

}  // namespace confab::engine
