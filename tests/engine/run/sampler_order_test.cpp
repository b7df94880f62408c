// SPDX-License-Identifier: MIT
// Samplers one after the other, each as it is defined.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "engine/error.h"
#include "engine/run/sampler.h"
#include "tests/engine/run/sampler_draws.h"
#include "tests/engine/run/sampling/definitions.h"
#include "tests/engine/run/sampling/fake_tokenizer.h"

namespace confab::engine {
namespace {

// All of them, in different orders.
std::vector<SamplerParams> settings_of_orders() {
  using enum SamplerKind;
  const SamplerParams params{.temperature = 0.8F,
                             .top_k = 6,
                             .top_p = 0.9F,
                             .min_p = 0.02F,
                             .repeat_penalty = 1.2F,
                             .seed = kSeed,
                             .typical_p = 0.95F,
                             .xtc_probability = 0.5F,
                             .top_n_sigma = 2,
                             .dynatemp_range = 0.3F,
                             .dry_multiplier = 0.5F};
  std::vector<SamplerParams> all(7, params);
  all[1].samplers = {temperature, top_p, penalties, min_p};
  all[2].samplers = {xtc, top_k, dry, temperature, typical};
  all[3].samplers = {min_p, temperature, temperature, penalties};
  all[4].samplers = {xtc, top_p, xtc};
  all[5].samplers = {top_k};
  all[6].samplers = {};
  return all;
}

void expect_as_defined(const SamplerParams& params) {
  constexpr int kDraws = 30000;
  const std::vector<float> logits = random_logits(12, 5, 3);
  const std::vector<Token> context{3, 1, 2, 3, 1, 7, 2, 3, 1};
  Sampler sampler(params, 12);
  for (const Token token : context) sampler.accept(token);
  std::map<Token, int> found;
  for (int i = 0; i < kDraws; ++i) ++found[sampler.sample(logits)];
  double sum = 0;
  int n_known = 0, n_kinds = 0;
  for (const auto& [token, p] : definition::distribution(params, logits, context)) {
    n_known += found[token];
    if (kDraws * p < 5) continue;
    sum += std::pow(found[token] - kDraws * p, 2) / (kDraws * p);
    ++n_kinds;
  }
  EXPECT_EQ(n_known, kDraws) << "tokens that cannot be";
  EXPECT_LT(sum, definition::chi_square_limit(std::max(1, n_kinds - 1)));
}

TEST(SamplerOrderTest, WhatIsDrawnIsDistributedAsEachSamplerIsDefined) {
  int i = 0;
  for (const SamplerParams& params : settings_of_each()) {
    SCOPED_TRACE(i++);
    expect_as_defined(params);
  }
}

TEST(SamplerOrderTest, SamplersFollowEachOtherAsTheyAreOrdered) {
  int i = 0;
  for (const SamplerParams& params : settings_of_orders()) {
    SCOPED_TRACE(i++);
    expect_as_defined(params);
  }
}

TEST(SamplerOrderTest, TheOrderMatters) {
  SamplerParams params = plain();
  params.top_p = 0.6F;
  params.temperature = 0.2F;
  const std::vector<float> logits = log_of({0.4, 0.3, 0.2, 0.1});
  EXPECT_EQ(support(params, logits), (std::set<Token>{0, 1}));
  params.samplers = {SamplerKind::temperature, SamplerKind::top_p};
  EXPECT_EQ(support(params, logits), (std::set<Token>{0})) << "of what the temperature made of it";
  params.samplers = {SamplerKind::temperature};
  params.temperature = 1;
  EXPECT_EQ(support(params, logits), (std::set<Token>{0, 1, 2, 3})) << "what is not in it is off";
}

TEST(SamplerOrderTest, GreedyTakesWhatFiltersBeforeItLeave) {
  SamplerParams params = plain();
  params.temperature = 0;
  params.xtc_probability = 1;
  params.xtc_threshold = 0.15F;
  const std::vector<float> logits = log_of({0.4, 0.3, 0.2, 0.1});
  EXPECT_EQ(support(params, logits), (std::set<Token>{2})) << "the last one above 0.15";
  params.samplers = {SamplerKind::temperature, SamplerKind::xtc};
  EXPECT_EQ(support(params, logits), (std::set<Token>{0}));
  params = plain();
  params.temperature = 0;
  params.top_k = 2;
  params.presence_penalty = 5;
  params.samplers = {SamplerKind::top_k, SamplerKind::penalties, SamplerKind::temperature};
  Sampler sampler(params, 4);
  sampler.accept(0);
  sampler.accept(1);
  sampler.accept(1);
  EXPECT_EQ(sampler.sample(logits), 0) << "one of those two, though both are penalised";
}

TEST(SamplerOrderTest, MirostatChoosesForItself) {
  SamplerParams params = plain();
  params.mirostat = 2;
  params.top_k = 1;  // does not count
  EXPECT_EQ(support(params, log_of({0.5, 0.3, 0.2})), (std::set<Token>{0, 1, 2}));
  params.presence_penalty = 20;
  Sampler sampler(params, 3);
  sampler.accept(0);
  sampler.accept(1);
  EXPECT_EQ(sampler.sample(log_of({0.5, 0.3, 0.2})), 2) << "penalties do";
  params.temperature = 0;
  EXPECT_EQ(support(params, log_of({0.5, 0.3, 0.2})), (std::set<Token>{0}));
}

TEST(SamplerOrderTest, BiasesComeFirst) {
  SamplerParams params = plain();
  params.top_k = 1;
  params.logit_bias = {{.token = 2, .bias = 10}, {.token = 3, .bias = -kInfinity}};
  EXPECT_EQ(support(params, {1, 2, 0, 30}), (std::set<Token>{2}));
  const FakeTokenizer tokenizer({"a", "b", "</s>"}, {2});
  params = plain();
  params.ignore_eos = true;
  params.temperature = 0;
  EXPECT_EQ(Sampler(params, 3, &tokenizer).sample(std::vector<float>{1, 2, 9}), 1);
  EXPECT_THROW(Sampler(params, 3, &tokenizer).sample(std::vector<float>{kNan, -kInfinity, 9}),
               ModelError);
}

// A row is sampled freely and then with a mask, as an answer of a given form is.
TEST(SamplerOrderTest, WhatIsRememberedDependsOnTheLastTimeThatARowIsSampled) {
  for (const int n_vocab : {40, 3000}) {
    for (const int version : {0, 1, 2}) {
      SamplerParams params = plain();
      params.mirostat = version;
      params.mirostat_tau = 3;
      params.mirostat_eta = 1;
      params.repeat_penalty = 1.2F;
      params.dry_multiplier = 2;
      params.dry_allowed_length = 1;
      if (version == 0) params.temperature = 0;
      Sampler once(params, n_vocab), twice(params, n_vocab);
      for (int i = 0; i < 60; ++i) {
        const std::vector<float> row = random_logits(n_vocab, static_cast<std::uint64_t>(i), 12);
        std::vector<float> masked = row;
        for (std::size_t id = 0; id < masked.size(); id += 2) masked[id] = -kInfinity;
        if (version != 0) once.sample(masked);  // which takes a random number, too
        twice.sample(row);
        const Token token = once.sample(masked);
        ASSERT_EQ(twice.sample(masked), token) << n_vocab << ' ' << version << ' ' << i;
        EXPECT_EQ(token % 2, 1);
        once.accept(token);
        twice.accept(token);
      }
    }
  }
}

// Recorded on x86-64 with g++ 12; every machine must give the same. Without top-k: the sums over
// all tokens are in single precision.
TEST(SamplerOrderTest, AllSamplersGiveTheSameTokensEverywhere) {
  std::vector<SamplerParams> settings = settings_of_each();
  settings.push_back(plain());
  settings.push_back(settings_of_orders()[0]);
  settings.back().top_k = 0;
  for (const int version : {1, 2}) settings.emplace_back(plain()).mirostat = version;
  std::vector<std::vector<Token>> tokens;
  for (const SamplerParams& params : settings) {
    Sampler sampler(params, 5000);
    tokens.emplace_back();
    for (std::uint64_t i = 0; i < 5; ++i) {
      tokens.back().push_back(sampler.sample(random_logits(5000, i)));
      sampler.accept(tokens.back().back());
    }
  }
  const std::vector<std::vector<Token>> want{
      {2449, 2145, 4830, 2397, 4772}, {4760, 1621, 2835, 1166, 4548}, {4323, 118, 1150, 3246, 318},
      {1504, 2973, 4353, 107, 3191},  {4323, 118, 1163, 3246, 318},   {152, 3174, 2344, 888, 47},
      {4329, 118, 1180, 3241, 320},   {4323, 118, 1169, 3246, 318},   {4323, 118, 1169, 3246, 318},
      {4323, 118, 1163, 3246, 318},   {4323, 118, 1163, 3246, 318},   {553, 2188, 298, 1603, 4765},
      {406, 2145, 4830, 2460, 4772},  {1601, 193, 340, 4880, 783}};
  EXPECT_EQ(tokens, want);
}

}  // namespace
}  // namespace confab::engine
