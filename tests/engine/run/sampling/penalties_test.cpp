// SPDX-License-Identifier: MIT
#include "engine/run/sampling/penalties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "engine/error.h"
#include "tests/engine/run/sampling/definitions.h"
#include "tests/engine/run/sampling/fake_tokenizer.h"
#include "tests/engine/run/sampling/rows.h"

namespace confab::engine {
namespace {

TEST(PenaltiesTest, AreAsDefinedOverAnyContext) {
  for (const int last_n : {1, 7, 64}) {
    const SamplerParams p{.repeat_penalty = 1.3F,
                          .frequency_penalty = 0.2F,
                          .presence_penalty = -0.4F,
                          .repeat_last_n = last_n};
    for (const std::size_t n : {9U, 2000U}) {
      Penalties penalties(p, static_cast<int>(n));
      Pcg32 random(n);
      std::vector<Token> context;
      for (int i = 0; i < 200; ++i) {
        const std::vector<float> row = uniform_row(n, static_cast<std::uint64_t>(i));
        Candidates found(n);
        found.begin(row);
        penalties.apply(found);
        found.settle();
        definition::Choices want = definition::choices_of(row);
        definition::penalties(want, p, context);
        EXPECT_NEAR(found.best(), want[0].logit, 1e-5);
        for (const definition::Choice& c : want) {
          if (found.are_few()) break;
          EXPECT_NEAR(found.logits()[static_cast<std::size_t>(c.id)], c.logit, 1e-5);
        }
        context.push_back(static_cast<Token>(random.next() % 9));
        penalties.accept(context.back());
      }
    }
  }
}

TEST(PenaltiesTest, AreOffUnlessOneIsSet) {
  EXPECT_FALSE(Penalties({}, 10).are_on());
  EXPECT_FALSE(Penalties({.repeat_penalty = 2, .repeat_last_n = 0}, 10).are_on());
  EXPECT_TRUE(Penalties({.presence_penalty = 0.1F}, 10).are_on());
}

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

// The logit of each token after a context, where all are 0 without DRY.
std::vector<float> logits_after(const std::vector<Token>& context, const SamplerParams& params,
                                const FakeTokenizer& tokenizer) {
  const auto n = static_cast<std::size_t>(tokenizer.n_vocab());
  Dry dry(params, tokenizer.n_vocab(), &tokenizer);
  for (const Token token : context) dry.accept(token);
  const std::vector<float> row(n);
  Candidates found(n);
  found.begin(row);
  dry.apply(found);
  found.settle();
  std::vector<float> logits(n);
  for (std::size_t i = 0; i < n; ++i)
    logits[static_cast<std::size_t>(found.id(i))] = found.logits()[i];
  return logits;
}

const FakeTokenizer& letters() {
  static const FakeTokenizer tokenizer({"a", "b", "c", "d", "\n", "x:", "<<", "< ", "<"});
  return tokenizer;
}

TEST(DryTest, TheLongerTheRepetitionTheLargerThePenalty) {
  const SamplerParams params{.dry_multiplier = 0.5F, .dry_base = 2, .dry_allowed_length = 2};
  const auto after = [&](const std::vector<Token>& context) {
    return logits_after(context, params, letters());
  };
  EXPECT_EQ(after({0, 1, 2, 0})[1], 0) << "one token is allowed";
  EXPECT_EQ(after({0, 1, 2, 0, 1})[2], -0.5F);
  EXPECT_EQ(after({3, 0, 1, 2, 3, 0, 1})[2], -1);
  EXPECT_EQ(after({3, 0, 1, 2, 3, 0, 1})[3], 0);
  // Of two that it could go on with, each has the longest that leads to it.
  const auto both = after({3, 0, 1, 2, 0, 1, 3, 3, 0, 1});
  EXPECT_EQ(both[2], -1);
  EXPECT_EQ(both[3], -0.5F);
  EXPECT_EQ(after({0, 0, 0, 0})[0], -1) << "it may overlap itself";
}

TEST(DryTest, IsAsDefinedOverRandomTexts) {
  const auto is_breaker = [](Token token) { return token == 4 || token == 5; };
  for (const int last_n : {3, 16, 200}) {
    for (const int allowed : {1, 2, 4}) {
      const SamplerParams params{.dry_multiplier = 0.8F,
                                 .dry_base = 1.3F,
                                 .dry_allowed_length = allowed,
                                 .dry_penalty_last_n = last_n,
                                 .dry_sequence_breakers = {"\n", ":"}};
      Pcg32 random(static_cast<std::uint64_t>(last_n));
      std::vector<Token> context;
      for (int i = 0; i < 150; ++i) {
        const std::uint32_t kind = random.next() % 40;
        context.push_back(static_cast<Token>(kind < 2 ? 4 + kind : kind % 2));
        const std::vector<float> found = logits_after(context, params, letters());
        definition::Choices want = definition::choices_of(std::vector<float>(found.size()));
        definition::dry(want, params, context, is_breaker);
        for (const definition::Choice& c : want)
          ASSERT_NEAR(found[static_cast<std::size_t>(c.id)], c.logit, 1e-5 * (1 - c.logit))
              << i << ' ' << c.id;
      }
    }
  }
}

TEST(DryTest, NoRepetitionReachesOverABreaker) {
  SamplerParams params{.dry_multiplier = 1, .dry_base = 1, .dry_allowed_length = 2};
  const std::vector<Token> lines{0, 4, 1, 2, 0, 4, 1}, in_token{0, 5, 1, 2, 0, 5, 1};
  EXPECT_EQ(logits_after(lines, params, letters())[2], 0);
  EXPECT_EQ(logits_after(in_token, params, letters())[2], 0);
  params.dry_sequence_breakers = {};
  EXPECT_EQ(logits_after(lines, params, letters())[2], -1);
  EXPECT_EQ(logits_after(in_token, params, letters())[2], -1);
}

TEST(DryTest, ABreakerMayBeSpreadOverTokens) {
  SamplerParams params{.dry_multiplier = 1,
                       .dry_base = 1,
                       .dry_allowed_length = 2,
                       .dry_sequence_breakers = {"<<< "}};
  // "<<" and "< ", and also "<", "<", "<" and something with a blank at its beginning, which is
  // none.
  EXPECT_EQ(logits_after({0, 6, 7, 1, 2, 0, 6, 7, 1}, params, letters())[2], 0);
  EXPECT_EQ(logits_after({0, 8, 6, 1, 2, 0, 8, 6, 1}, params, letters())[2], -1);
  // After it the count begins anew.
  EXPECT_EQ(logits_after({6, 7, 1, 0, 2, 6, 7, 1, 0}, params, letters())[2], -1);
}

TEST(DryTest, ATokenWithABreakerInItIsNotPenalised) {
  const SamplerParams params{.dry_multiplier = 1, .dry_base = 1, .dry_allowed_length = 2};
  EXPECT_EQ(logits_after({0, 1, 5, 0, 1}, params, letters())[5], 0);
  EXPECT_EQ(logits_after({0, 1, 6, 0, 1}, params, letters())[6], -1);
}

TEST(DryTest, APenaltyEndsBeforeItIsInfinite) {
  const SamplerParams params{
      .dry_multiplier = 1, .dry_base = 50, .dry_allowed_length = 1, .dry_penalty_last_n = 400};
  const auto logits = logits_after(std::vector<Token>(400, 0), params, letters());
  EXPECT_EQ(logits[0], -1e30F);
}

TEST(DryTest, IsOffWithoutAMultiplierOrALength) {
  EXPECT_FALSE(Dry({}, 5, nullptr).is_on());
  EXPECT_FALSE(Dry({.dry_multiplier = 1, .dry_penalty_last_n = 0}, 5, nullptr).is_on());
  EXPECT_TRUE(Dry({.dry_multiplier = 1}, 5, nullptr).is_on());
}

}  // namespace
}  // namespace confab::engine
