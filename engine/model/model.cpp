// SPDX-License-Identifier: MIT
#include "engine/model/model.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "engine/model/products.h"
#include "engine/safetensors/open_model.h"

namespace confab::engine {

Model load_model_shape(Gguf gguf, NextnHead head, const RopeOptions& rope) {
  Hparams hparams = Hparams::load(gguf, head, rope);
  Weights weights = Weights::load(gguf, hparams);
  if (const std::string why = misfit(Plan(hparams, weights)); !why.empty()) gguf.fail(why);
  return {std::move(gguf), std::move(hparams), std::move(weights), nullptr};
}

std::unique_ptr<const Model> Model::load(const std::string& path, NextnHead head,
                                         const RopeOptions& rope) {
  Model model = load_model_shape(open_model(path), head, rope);
  auto tokenizer = Tokenizer::load(model.gguf);
  if (const int n_vocab = model.hparams.n_vocab; tokenizer->n_vocab() != n_vocab)
    model.gguf.fail(
        fmt::format("its vocabulary has {} tokens, expected {} as tensor token_embd.weight",
                    tokenizer->n_vocab(), n_vocab));
  model.tokenizer = std::move(tokenizer);
  return std::make_unique<const Model>(std::move(model));
}

}  // namespace confab::engine
