// SPDX-License-Identifier: MIT
#include "app/tools/bench_runs.h"

#include <gtest/gtest.h>

#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

using engine::Token;

class ReplayTest : public testing::TestWithParam<const char*> {
 protected:
  ReplayTest() : inference_(options(), /*all_logits=*/true) {}
  ModelOptions options() {
    ModelOptions model;
    model.path = file_.path();
    model.n_threads = 1;
    model.n_ctx = 256;
    model.n_batch = 32;
    return model;
  }
  Replay run(bool lookup, const std::vector<Token>& prompt, const std::vector<Token>& answer) {
    engine::Forward forward(inference_.model(), inference_.table(), inference_.pool(),
                            inference_.cache().n_ctx(), {.n_batch = 32, .n_logits = 16});
    engine::Drafting drafting(256, lookup);
    const Replay result = replay(inference_, forward, drafting, prompt, answer);
    EXPECT_EQ(inference_.cache().n_tokens(), static_cast<int>(prompt.size() + answer.size()));
    EXPECT_EQ(result.n_passes + result.by_lookup.n_accepted, static_cast<int>(answer.size()));
    EXPECT_GT(result.time.count(), 0);
    return result;
  }

  engine::TinyModelFile file_{{.architecture = GetParam()}};
  Inference inference_;
};

std::vector<Token> numbers(int n) {
  std::vector<Token> tokens(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) tokens[static_cast<std::size_t>(i)] = i;
  return tokens;
}

TEST_P(ReplayTest, WhatStandsInThePromptTakesFewerPasses) {
  const Replay with = run(true, numbers(100), numbers(90));
  EXPECT_GT(with.by_lookup.n_accepted, 0);
  EXPECT_LE(with.by_lookup.n_accepted, with.by_lookup.n_drafted);
  EXPECT_LT(with.n_passes, 90);
}

TEST_P(ReplayTest, WithoutLookUpEachTokenIsAPass) {
  const Replay without = run(false, numbers(100), numbers(90));
  EXPECT_EQ(without.n_passes, 90);
  EXPECT_EQ(without.by_lookup.n_drafted, 0);
}

TEST_P(ReplayTest, ANewTextHasNothingToLookUp) {
  const Replay with = run(true, {1, 2, 3}, {4, 5, 6, 7, 8});
  EXPECT_EQ(with.by_lookup.n_drafted, 0);
}

INSTANTIATE_TEST_SUITE_P(, ReplayTest, testing::ValuesIn(engine::kDraftedArchitectures),
                         engine::architecture_name);

}  // namespace
}  // namespace confab::app
