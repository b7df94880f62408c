// SPDX-License-Identifier: MIT
#include "engine/model/model.h"

#include <fmt/format.h>

#include "engine/model/products.h"

namespace confab::engine {

std::unique_ptr<const Model> Model::load(const std::string& path, NextnHead head,
                                         const RopeOptions& rope) {
  Gguf gguf(path);
  Hparams hparams = Hparams::load(gguf, head, rope);
  Weights weights = Weights::load(gguf, hparams);
  if (const std::string why = misfit(Plan(hparams, weights)); !why.empty()) gguf.fail(why);
  auto tokenizer = Tokenizer::load(gguf);
  if (tokenizer->n_vocab() != hparams.n_vocab) {
    gguf.fail(fmt::format("its vocabulary has {} tokens, expected {} as tensor token_embd.weight",
                          tokenizer->n_vocab(), hparams.n_vocab));
  }
  return std::unique_ptr<const Model>(
      new Model{std::move(gguf), std::move(hparams), std::move(weights), std::move(tokenizer)});
}

}  // namespace confab::engine
