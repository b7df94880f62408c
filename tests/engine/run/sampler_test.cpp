// SPDX-License-Identifier: MIT
#include "engine/run/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/error.h"
#include "tests/engine/allocations.h"
#include "tests/engine/run/sampling/definitions.h"
#include "tests/engine/run/sampling/fake_tokenizer.h"
#include "tests/engine/run/sampling/rows.h"

namespace confab::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint64_t kSeed = 20250611;

// All filters off: what a test does not set plays no part.
SamplerParams plain() {
  return {.temperature = 1, .top_k = 0, .top_p = 1, .min_p = 0, .seed = kSeed};
}

std::vector<float> log_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

std::vector<int> counts(const SamplerParams& params, const std::vector<float>& logits, int n) {
  Sampler sampler(params, static_cast<int>(logits.size()));
  std::vector<int> found(logits.size());
  for (int i = 0; i < n; ++i) ++found[static_cast<std::size_t>(sampler.sample(logits))];
  return found;
}

// Which tokens come up in 4000 draws: for tests whose kept tokens all have at least 1 %.
std::set<Token> support(const SamplerParams& params, const std::vector<float>& logits) {
  const std::vector<int> found = counts(params, logits, 4000);
  std::set<Token> tokens;
  for (std::size_t id = 0; id < found.size(); ++id) {
    if (found[id] > 0) tokens.insert(static_cast<Token>(id));
  }
  return tokens;
}

double chi_square(const std::vector<int>& found, const std::vector<double>& probabilities, int n) {
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double want = n * probabilities[i];
    sum += (found[i] - want) * (found[i] - want) / want;
  }
  return sum;
}

std::vector<float> random_logits(int n_vocab, std::uint64_t seed, double width = 20) {
  return uniform_row(static_cast<std::size_t>(n_vocab), seed, width);
}

// Every sampler alone.
std::vector<SamplerParams> settings_of_each() {
  std::vector<SamplerParams> all(10, plain());
  all[0].top_k = 4;
  all[1].top_p = 0.8F;
  all[2].min_p = 0.1F;
  all[3].typical_p = 0.6F;
  all[4].top_n_sigma = 1;
  all[5].xtc_probability = 0.4F;
  all[6].temperature = 1.7F;
  all[7].dynatemp_range = 0.6F;
  all[7].dynatemp_exponent = 1.5F;
  all[8].repeat_penalty = 1.4F;
  all[8].presence_penalty = 0.3F;
  all[9].dry_multiplier = 0.7F;
  all[9].dry_allowed_length = 1;
  return all;
}

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

TEST(SamplerTest, DrawsByTheSoftmaxOfTheLogits) {
  const std::vector<double> p{0.4, 0.25, 0.15, 0.1, 0.06, 0.04};
  constexpr int kDraws = 60000;
  // 5 degrees of freedom: 20.5 is exceeded once in a thousand seeds; this one is fixed.
  EXPECT_LT(chi_square(counts(plain(), log_of(p), kDraws), p, kDraws), 20.5);
}

TEST(SamplerTest, TemperatureSharpensAndFlattens) {
  const std::vector<double> p{0.5, 0.3, 0.2};
  constexpr int kDraws = 40000;
  for (const float temperature : {0.5F, 2.0F}) {
    SamplerParams params = plain();
    params.temperature = temperature;
    std::vector<double> want;
    double sum = 0;
    for (const double x : p) want.push_back(std::pow(x, 1 / double{temperature}));
    for (const double x : want) sum += x;
    for (double& x : want) x /= sum;
    EXPECT_LT(chi_square(counts(params, log_of(p), kDraws), want, kDraws), 13.8) << temperature;
  }
}

TEST(SamplerTest, GreedyTakesTheBestAndOfEqualOnesTheLowestId) {
  SamplerParams params = plain();
  params.temperature = 0;
  Sampler sampler(params, 5);
  EXPECT_EQ(sampler.sample(std::vector<float>{1, 3, 2, 3, -kInfinity}), 1);
  EXPECT_EQ(sampler.sample(std::vector<float>{-5, -kInfinity, -4, -4, kNan}), 2);
}

TEST(SamplerTest, TopKKeepsTheBestK) {
  SamplerParams params = plain();
  params.top_k = 3;
  EXPECT_EQ(support(params, log_of({0.1, 0.3, 0.05, 0.35, 0.2})), (std::set<Token>{1, 3, 4}));
  params.top_k = 1;
  EXPECT_EQ(support(params, log_of({0.1, 0.3, 0.05, 0.35, 0.2})), (std::set<Token>{3}));
}

TEST(SamplerTest, TopKOfEqualLogitsKeepsTheLowestIds) {
  SamplerParams params = plain();
  params.top_k = 3;
  // More equal ones than the selection's buffer holds, and a better one at the end.
  std::vector<float> logits(3000, 1.0F);
  logits.back() = 2;
  EXPECT_EQ(support(params, logits), (std::set<Token>{0, 1, 2999}));
}

TEST(SamplerTest, TopKAgreesWithAFullSortOnALargeVocabulary) {
  constexpr int kVocab = 20000;
  constexpr std::size_t kTopK = 17;
  const std::vector<float> logits = random_logits(kVocab, kSeed);
  std::multimap<float, Token, std::greater<>> sorted;
  for (int id = 0; id < kVocab; ++id) sorted.emplace(logits[static_cast<std::size_t>(id)], id);
  std::set<Token> best;
  for (auto it = sorted.begin(); best.size() < kTopK; ++it) best.insert(it->second);
  SamplerParams params = plain();
  params.top_k = kTopK;
  EXPECT_EQ(support(params, logits), best);
}

TEST(SamplerTest, TopPKeepsTheFewestThatReachIt) {
  SamplerParams params = plain();
  const std::vector<float> logits = log_of({0.05, 0.5, 0.15, 0.3});
  params.top_p = 0.75F;
  EXPECT_EQ(support(params, logits), (std::set<Token>{1, 3}));
  params.top_p = 0.85F;
  EXPECT_EQ(support(params, logits), (std::set<Token>{1, 2, 3}));
  params.top_p = 0;
  EXPECT_EQ(support(params, logits), (std::set<Token>{1}));
}

TEST(SamplerTest, TopPReachesBeyondTheFirstTokensSorted) {
  SamplerParams params = plain();
  params.top_p = 0.9F;
  std::vector<float> logits(1000, 0.0F);  // 900 of 1000 equal tokens: the lowest ids
  Sampler sampler(params, 1000);
  Token highest = 0;
  for (int i = 0; i < 20000; ++i) highest = std::max(highest, sampler.sample(logits));
  EXPECT_GE(highest, 890);
  EXPECT_LT(highest, 901);
}

TEST(SamplerTest, MinPIsRelativeToTheLikeliest) {
  SamplerParams params = plain();
  const std::vector<float> logits = log_of({0.5, 0.3, 0.14, 0.06});
  params.min_p = 0.2F;  // of 0.5: 0.1
  EXPECT_EQ(support(params, logits), (std::set<Token>{0, 1, 2}));
  params.min_p = 1;
  EXPECT_EQ(support(params, logits), (std::set<Token>{0}));
}

TEST(SamplerTest, TopPCountsItsShareBeforeMinPTakesTokensAway) {
  SamplerParams params = plain();
  // 0.55 of everything needs both large tokens. Of what min-p leaves, one alone would have it.
  std::vector<double> p{0.5, 0.2};
  for (int i = 0; i < 30; ++i) p.push_back(0.01);
  params.top_p = 0.55F;
  params.min_p = 0.1F;
  EXPECT_EQ(support(params, log_of(p)), (std::set<Token>{0, 1}));
}

TEST(SamplerTest, TopPCountsItsShareOfWhatTopKLeft) {
  SamplerParams params = plain();
  params.top_k = 2;
  params.top_p = 0.6F;  // of 0.4 + 0.2: the first has two thirds
  EXPECT_EQ(support(params, log_of({0.4, 0.2, 0.2, 0.2})), (std::set<Token>{0}));
}

SamplerParams greedy_with_penalties() {
  SamplerParams params = plain();
  params.temperature = 0;
  return params;
}

TEST(SamplerTest, RepeatPenaltyDividesPositiveAndMultipliesNegativeLogits) {
  SamplerParams params = greedy_with_penalties();
  params.repeat_penalty = 2;
  Sampler sampler(params, 3);
  const std::vector<float> positive{3, 2, 1}, negative{-1, -1.5F, -3};
  EXPECT_EQ(sampler.sample(positive), 0);
  sampler.accept(0);
  EXPECT_EQ(sampler.sample(positive), 1);  // 1.5, 2, 1
  EXPECT_EQ(sampler.sample(negative), 1);  // -2, -1.5, -3
}

TEST(SamplerTest, FrequencyCountsAndPresenceDoesNot) {
  SamplerParams params = greedy_with_penalties();
  params.frequency_penalty = 1;
  Sampler frequency(params, 2);
  const std::vector<float> logits{2.5F, 0};
  for (const Token want : {0, 0, 0, 1}) {  // 2.5, 1.5, 0.5, -0.5
    EXPECT_EQ(frequency.sample(logits), want);
    frequency.accept(0);
  }
  params.frequency_penalty = 0;
  params.presence_penalty = 2;
  Sampler presence(params, 2);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(presence.sample(logits), 0) << i;  // 0.5 however often
    presence.accept(0);
  }
}

TEST(SamplerTest, PenaltiesForgetTokensThatAreNoLongerRecent) {
  SamplerParams params = greedy_with_penalties();
  params.presence_penalty = 10;
  params.repeat_last_n = 2;
  Sampler sampler(params, 4);
  const std::vector<float> logits{4, 3, 2, 1};
  for (const Token want : {0, 1, 2, 0, 1, 2}) {
    const Token token = sampler.sample(logits);
    EXPECT_EQ(token, want);
    sampler.accept(token);
  }
}

TEST(SamplerTest, TheLogitsAreNotChanged) {
  SamplerParams params = plain();
  params.repeat_penalty = 1.3F;
  params.top_k = 2;
  Sampler sampler(params, 4);
  const std::vector<float> logits{1, 2, 3, 4}, before = logits;
  sampler.accept(3);
  sampler.sample(logits);
  EXPECT_EQ(logits, before);
}

// Recorded on x86-64 with g++ 12; every machine must give the same.
TEST(SamplerTest, TheSameSeedGivesTheSameTokensEverywhere) {
  const std::vector<float> logits = random_logits(1000, 7);
  SamplerParams params;
  params.seed = kSeed;
  Sampler one(params, 1000), two(params, 1000);
  std::vector<Token> tokens;
  for (int i = 0; i < 8; ++i) {
    tokens.push_back(one.sample(logits));
    EXPECT_EQ(two.sample(logits), tokens.back());
  }
  EXPECT_EQ(tokens, (std::vector<Token>{254, 30, 533, 399, 832, 535, 646, 280}));
  EXPECT_EQ(one.seed(), kSeed);
}

TEST(SamplerTest, NothingIsAllocatedByATokenOnceItHasBegun) {
  if (!n_allocations()) GTEST_SKIP() << "a sanitizer has its own operator new";
  const std::vector<float> logits = random_logits(5000, 3);
  std::vector<SamplerParams> settings = settings_of_each();
  settings.push_back({.seed = kSeed});
  settings.push_back({.top_k = 100, .repeat_penalty = 1.1F, .seed = kSeed});
  for (const int version : {1, 2}) settings.emplace_back(plain()).mirostat = version;
  for (const SamplerParams& params : settings) {
    Sampler sampler(params, 5000);
    sampler.accept(sampler.sample(logits));
    const auto before = n_allocations();
    for (int i = 0; i < 100; ++i) sampler.accept(sampler.sample(logits));
    EXPECT_EQ(n_allocations(), before);
  }
}

TEST(SamplerTest, WithoutASeedEachSamplerHasItsOwn) {
  SamplerParams params;
  EXPECT_NE(Sampler(params, 10).seed(), Sampler(params, 10).seed());
}

TEST(SamplerTest, LogitsThatAreNoNumbersAreNeverPicked) {
  const std::vector<float> logits{kNan, 0, kInfinity, -kInfinity, 0.5F};
  for (const int top_k : {0, 2, 4}) {
    SamplerParams params = plain();
    params.top_k = top_k;
    EXPECT_EQ(support(params, logits), (std::set<Token>{1, 4})) << top_k;
  }
}

TEST(SamplerTest, ARowWithoutAFiniteLogitIsAnError) {
  for (const float temperature : {0.0F, 1.0F}) {
    for (const int top_k : {0, 1}) {
      SamplerParams params = plain();
      params.temperature = temperature;
      params.top_k = top_k;
      Sampler sampler(params, 3);
      EXPECT_THROW(sampler.sample(std::vector<float>{kNan, kInfinity, -kInfinity}), ModelError);
      EXPECT_EQ(sampler.sample(std::vector<float>{kNan, 1, kNan}), 1);  // usable again
    }
  }
}

TEST(SamplerTest, ExtremeTemperaturesStayWithinTheCandidates) {
  for (const float temperature : {1e-30F, 1e30F}) {
    SamplerParams params = plain();
    params.temperature = temperature;
    const std::set<Token> found = support(params, {1e30F, -1e30F, 0.9e30F});
    EXPECT_TRUE(found.count(0) == 1) << temperature;
    EXPECT_EQ(found.size() == 1, temperature < 1);
  }
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

TEST(SamplerTest, WhatIsDrawnIsDistributedAsEachSamplerIsDefined) {
  int i = 0;
  for (const SamplerParams& params : settings_of_each()) {
    SCOPED_TRACE(i++);
    expect_as_defined(params);
  }
}

TEST(SamplerTest, SamplersFollowEachOtherAsTheyAreOrdered) {
  int i = 0;
  for (const SamplerParams& params : settings_of_orders()) {
    SCOPED_TRACE(i++);
    expect_as_defined(params);
  }
}

TEST(SamplerTest, TheOrderMatters) {
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

TEST(SamplerTest, GreedyTakesWhatFiltersBeforeItLeave) {
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

TEST(SamplerTest, MirostatChoosesForItself) {
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

TEST(SamplerTest, BiasesComeFirst) {
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
TEST(SamplerTest, WhatIsRememberedDependsOnTheLastTimeThatARowIsSampled) {
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
TEST(SamplerTest, AllSamplersGiveTheSameTokensEverywhere) {
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
