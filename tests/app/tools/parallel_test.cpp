// SPDX-License-Identifier: MIT
#include "app/tools/bench_runs.h"

#include <gtest/gtest.h>

#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

TEST(ParallelDecodingTest, WritesAsManyTokensAsItIsAsked) {
  const engine::TinyModelFile file({.n_ctx = 1024});
  ModelOptions model;
  model.path = file.path();
  model.n_threads = 1;
  model.n_ctx = 512;
  Inference inference(model, /*all_logits=*/false);
  const std::vector<engine::Token> tokens(400, 5);
  ParallelDecoding decoding(inference, tokens, {.n_depth = 300, .n_gen = 20, .n_sequences = 4});
  for (const int n : {1, 4, 2, 4}) EXPECT_GT(decoding.run(n).count(), 0) << n;
  ParallelDecoding shallow(inference, tokens, {.n_depth = 0, .n_gen = 300, .n_sequences = 2});
  EXPECT_GT(shallow.run(2).count(), 0);
}

}  // namespace
}  // namespace confab::app
