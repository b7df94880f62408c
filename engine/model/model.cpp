// SPDX-License-Identifier: MIT
#include "engine/model/model.h"

#include <fmt/format.h>

#include <utility>

#include "engine/model/model_shape.h"
#include "engine/safetensors/open_model.h"

namespace confab::engine {

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
