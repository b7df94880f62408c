// SPDX-License-Identifier: MIT
#include "engine/run/sampling/logit_bias.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "engine/error.h"
#include "tests/engine/run/sampling/fake_tokenizer.h"

namespace confab::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::map<Token, float> added(const SamplerParams& params, const Tokenizer* tokenizer) {
  std::map<Token, float> found;
  for (const LogitEdit& edit : bias_edits(params, 6, tokenizer)) {
    EXPECT_EQ(edit.divisor, 1);
    EXPECT_TRUE(found.emplace(edit.token, -edit.less).second) << edit.token;
  }
  return found;
}

TEST(LogitBiasTest, TokensAreNamedByNumberOrByText) {
  const FakeTokenizer tokenizer({"a", " a", "b", "a", "</s>", "<end>"}, {4, 5});
  EXPECT_EQ(added({.logit_bias = {{.token = 2, .bias = 1.5F}, {.token = 0, .bias = -kInfinity}}},
                  nullptr),
            (std::map<Token, float>{{0, -kInfinity}, {2, 1.5F}}));
  EXPECT_EQ(
      added({.logit_bias = {{.text = "a", .bias = 2}, {.text = " a", .bias = -1}}}, &tokenizer),
      (std::map<Token, float>{{0, 2}, {1, -1}, {3, 2}}));
}

TEST(LogitBiasTest, BiasesOfOneTokenAddUp) {
  EXPECT_EQ(added({.logit_bias = {{.token = 1, .bias = 1}, {.token = 1, .bias = 2}}}, nullptr),
            (std::map<Token, float>{{1, 3}}));
}

TEST(LogitBiasTest, EndsAreIgnoredWhateverTheirBias) {
  const FakeTokenizer tokenizer({"a", "b", "c", "d", "</s>", "<end>"}, {4, 5});
  EXPECT_EQ(added({.logit_bias = {{.token = 4, .bias = 9}}, .ignore_eos = true}, &tokenizer),
            (std::map<Token, float>{{4, -kInfinity}, {5, -kInfinity}}));
  EXPECT_TRUE(added({}, &tokenizer).empty());
}

TEST(LogitBiasTest, WhatTheModelDoesNotHaveIsRefused) {
  const FakeTokenizer tokenizer({"a", "b"});
  const auto told = [&](const LogitBias& bias) -> std::string {
    try {
      bias_edits({.logit_bias = {bias}}, 6, &tokenizer);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(told({.token = 6, .bias = 1}), "logit_bias: found token 6, expected one from 0 to 5");
  EXPECT_EQ(told({.text = "ab", .bias = 1}),
            "logit_bias: \"ab\" is not the text of a single token; give that, or a token's number");
}

}  // namespace
}  // namespace confab::engine
