// SPDX-License-Identifier: MIT
#include "engine/model/model_shape.h"

#include <gtest/gtest.h>

#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

TEST(ModelShapeTest, HasTheSizesAndWeightsOfTheModel) {
  const TinyModelFile file;
  const Model shape = load_model_shape(Gguf(file.path()));
  const auto model = Model::load(file.path());
  EXPECT_EQ(shape.tokenizer, nullptr);
  EXPECT_EQ(shape.hparams.n_vocab, model->hparams.n_vocab);
  EXPECT_EQ(shape.hparams.n_embd, model->hparams.n_embd);
  EXPECT_EQ(shape.weights.layers.size(), model->weights.layers.size());
}

TEST(ModelShapeTest, AnUnknownArchitectureIsRefused) {
  const TemporaryFolder folder;
  GgufWriter writer = tiny_model();
  writer.remove("general.architecture").add("general.architecture", std::string("unheard-of"));
  writer.write(folder / "m.gguf");
  EXPECT_NE(error_of([&] { load_model_shape(Gguf(folder / "m.gguf")); }).find("unheard-of"),
            std::string::npos);
}

}  // namespace
}  // namespace confab::engine
