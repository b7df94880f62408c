// SPDX-License-Identifier: MIT
// What sampling a token costs over 152k tokens, on one thread: with the defaults, with each sampler
// alone (so that it looks at all tokens), and with all of them.
//
// Rows of logits are as models give them (a bell out of which some tokens stand) or, the worst
// case, flat: hardly a token is less likely than another. Eight rows in turn, so that they are not
// in the cache that is nearest.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/run/sampler.h"

namespace confab::engine {
namespace {

constexpr std::size_t kVocab = 151936;
constexpr int kRows = 8;

using Row = std::vector<float>;

Row bell_row(std::mt19937& rng) {
  std::normal_distribution<float> bell(0, 2.5F), peaks(14, 3);
  Row row(kVocab);
  for (float& logit : row) logit = bell(rng);
  for (int i = 0; i < 60; ++i) row[rng() % kVocab] = peaks(rng);
  return row;
}

Row flat_row(std::mt19937& rng) {
  std::normal_distribution<float> bell(0, 0.05F);
  Row row(kVocab);
  for (float& logit : row) logit = bell(rng);
  return row;
}

std::vector<Row> rows(Row (*make)(std::mt19937&)) {
  std::mt19937 rng(20250611);
  std::vector<Row> all;
  for (int i = 0; i < kRows; ++i) all.push_back(make(rng));
  return all;
}

// All filters off.
SamplerParams plain() {
  return {.top_k = 0, .top_p = 1, .min_p = 0, .seed = 1};
}

template <class Change>
SamplerParams with(SamplerParams params, const Change& change) {
  change(params);
  return params;
}

std::vector<std::pair<std::string, SamplerParams>> settings() {
  using P = SamplerParams;
  const P all{.repeat_penalty = 1.1F,
              .frequency_penalty = 0.1F,
              .seed = 1,
              .typical_p = 0.9F,
              .xtc_probability = 0.5F,
              .top_n_sigma = 3,
              .dynatemp_range = 0.3F,
              .dry_multiplier = 0.8F,
              .logit_bias = {{.token = 5, .bias = 1}}};
  return {
      {"defaults", {.seed = 1}},
      {"defaults, no top-k", {.top_k = 0, .seed = 1}},
      {"greedy", {.temperature = 0}},
      {"temperature", plain()},
      {"penalties", with(plain(), [](P& p) { p.repeat_penalty = 1.1F; })},
      {"dry", with(plain(), [](P& p) { p.dry_multiplier = 0.8F; })},
      {"top-n-sigma", with(plain(), [](P& p) { p.top_n_sigma = 1; })},
      {"top-k", with(plain(), [](P& p) { p.top_k = 40; })},
      {"top-k 20000", with(plain(), [](P& p) { p.top_k = 20000; })},
      {"typical", with(plain(), [](P& p) { p.typical_p = 0.9F; })},
      {"top-p", with(plain(), [](P& p) { p.top_p = 0.95F; })},
      {"min-p", with(plain(), [](P& p) { p.min_p = 0.05F; })},
      {"xtc", with(plain(), [](P& p) { p.xtc_probability = 1; })},
      {"dynatemp", with(plain(), [](P& p) { p.dynatemp_range = 0.5F; })},
      {"logit-bias", with(plain(), [](P& p) { p.logit_bias = {{.token = 5, .bias = 1}}; })},
      {"mirostat 1", with(plain(), [](P& p) { p.mirostat = 1; })},
      {"mirostat 2", with(plain(), [](P& p) { p.mirostat = 2; })},
      {"all", all},
      {"all, no top-k", with(all, [](P& p) { p.top_k = 0; })},
  };
}

void sample(benchmark::State& state, const std::vector<Row>& rows, const SamplerParams& params) {
  Sampler sampler(params, static_cast<int>(kVocab));
  for (int i = 0; i < 200; ++i) sampler.accept(i % 50);
  std::size_t i = 0;
  for (auto _ : state) {
    const Token token = sampler.sample(rows[i++ % rows.size()]);
    benchmark::DoNotOptimize(token);
    sampler.accept(token);
  }
}

}  // namespace
}  // namespace confab::engine

int main(int argc, char** argv) {
  using namespace confab::engine;
  benchmark::Initialize(&argc, argv);
  const std::vector<Row> bell = rows(bell_row), flat = rows(flat_row);
  const auto all = settings();
  for (const auto& [shape, rows_of_it] : {std::pair{"model's", &bell}, {"flat", &flat}})
    for (const auto& [name, params] : all)
      benchmark::RegisterBenchmark((name + "/" + shape).c_str(), sample, std::cref(*rows_of_it),
                                   std::cref(params))
          ->Unit(benchmark::kMicrosecond);
  benchmark::RunSpecifiedBenchmarks();
}
