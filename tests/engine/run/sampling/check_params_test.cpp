// SPDX-License-Identifier: MIT
#include "engine/run/sampler.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct BadParams {
  std::string name;
  SamplerParams params;
};

TEST(CheckParamsTest, WhatIsOutOfItsRangeIsNamed) {
  const BadParams cases[] = {
      {"temperature", {.temperature = -0.1F}},
      {"temperature", {.temperature = kNan}},
      {"temperature", {.temperature = kInfinity}},
      {"top_k", {.top_k = -1}},
      {"top_p", {.top_p = 1.1F}},
      {"top_p", {.top_p = -0.1F}},
      {"min_p", {.min_p = kNan}},
      {"min_p", {.min_p = 1.5F}},
      {"repeat_penalty", {.repeat_penalty = 0}},
      {"frequency_penalty", {.frequency_penalty = kInfinity}},
      {"presence_penalty", {.presence_penalty = kNan}},
      {"repeat_last_n", {.repeat_last_n = -1}},
      {"repeat_last_n", {.repeat_last_n = 1 << 30}},
      {"samplers", {.samplers = std::vector<SamplerKind>(33, SamplerKind::top_k)}},
      {"typical_p", {.typical_p = 1.1F}},
      {"xtc_probability", {.xtc_probability = -0.1F}},
      {"xtc_threshold", {.xtc_threshold = kNan}},
      {"top_n_sigma", {.top_n_sigma = kInfinity}},
      {"dynatemp_range", {.dynatemp_range = -1}},
      {"dynatemp_exponent", {.dynatemp_exponent = kInfinity}},
      {"mirostat", {.mirostat = 3}},
      {"mirostat", {.mirostat = -1}},
      {"mirostat_tau", {.mirostat_tau = -1}},
      {"mirostat_eta", {.mirostat_eta = kNan}},
      {"dry_multiplier", {.dry_multiplier = -1}},
      {"dry_base", {.dry_base = 0.9F}},
      {"dry_allowed_length", {.dry_allowed_length = 0}},
      {"dry_penalty_last_n", {.dry_penalty_last_n = -1}},
      {"dry_sequence_breakers", {.dry_sequence_breakers = {"a", ""}}},
      {"logit_bias", {.logit_bias = {{.token = 1, .bias = kInfinity}}}},
      {"logit_bias", {.logit_bias = {{.token = 1, .bias = kNan}}}},
  };
  for (const BadParams& bad : cases) {
    try {
      check_params(bad.params);
      FAIL() << bad.name << " was accepted";
    } catch (const ModelError& error) {
      EXPECT_EQ(std::string(error.what()).rfind(bad.name + ": found ", 0), 0U) << error.what();
    }
  }
}

TEST(CheckParamsTest, DefaultsAndNeverAreFine) {
  EXPECT_NO_THROW(check_params({}));
  EXPECT_NO_THROW(check_params({.logit_bias = {{.token = 1, .bias = -kInfinity}}}));
}

}  // namespace
}  // namespace confab::engine
