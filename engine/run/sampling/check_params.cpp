// SPDX-License-Identifier: MIT
#include "engine/run/sampling/check_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr int kMaxLastN = 1 << 20;
constexpr std::size_t kMaxSamplers = 32;

template <typename Number>
void check(bool ok, std::string_view name, Number found, std::string_view expected) {
  if (!ok) throw ModelError(fmt::format("{}: found {}, expected {}", name, found, expected));
}

void check_share(float value, std::string_view name, std::string_view expected) {
  check(value >= 0 && value <= 1, name, value, expected);
}

void check_from_0(float value, std::string_view name) {
  check(std::isfinite(value) && value >= 0, name, value, "a number from 0");
}

void check_finite(float value, std::string_view name) {
  check(std::isfinite(value), name, value, "a finite number");
}

void check_last_n(int value, std::string_view name) {
  check(value >= 0 && value <= kMaxLastN, name, value,
        fmt::format("a number from 0 (off) to {}", kMaxLastN));
}

void check_penalties(const SamplerParams& p) {
  check(std::isfinite(p.repeat_penalty) && p.repeat_penalty > 0, "repeat_penalty", p.repeat_penalty,
        "a number above 0 (1: off)");
  check_finite(p.frequency_penalty, "frequency_penalty");
  check_finite(p.presence_penalty, "presence_penalty");
  check_last_n(p.repeat_last_n, "repeat_last_n");
}

void check_dry(const SamplerParams& p) {
  check_from_0(p.dry_multiplier, "dry_multiplier");
  check(std::isfinite(p.dry_base) && p.dry_base >= 1, "dry_base", p.dry_base, "a number from 1");
  check(p.dry_allowed_length >= 1, "dry_allowed_length", p.dry_allowed_length, "a number from 1");
  check_last_n(p.dry_penalty_last_n, "dry_penalty_last_n");
  for (const std::string& breaker : p.dry_sequence_breakers)
    check(!breaker.empty(), "dry_sequence_breakers", "an empty text", "text");
}

}  // namespace

void check_params(const SamplerParams& p) {
  check(p.samplers.size() <= kMaxSamplers, "samplers", p.samplers.size(),
        fmt::format("at most {}", kMaxSamplers));
  check_from_0(p.temperature, "temperature");
  check(p.top_k >= 0, "top_k", p.top_k, "a number from 0 (off)");
  check_share(p.top_p, "top_p", "a number from 0 to 1 (off)");
  check_share(p.min_p, "min_p", "a number from 0 (off) to 1");
  check_share(p.typical_p, "typical_p", "a number from 0 to 1 (off)");
  check_share(p.xtc_probability, "xtc_probability", "a number from 0 (off) to 1");
  check_share(p.xtc_threshold, "xtc_threshold", "a number from 0 to 1");
  check_finite(p.top_n_sigma, "top_n_sigma");
  check_from_0(p.dynatemp_range, "dynatemp_range");
  check_from_0(p.dynatemp_exponent, "dynatemp_exponent");
  check(p.mirostat >= 0 && p.mirostat <= 2, "mirostat", p.mirostat, "0 (off), 1 or 2");
  check_from_0(p.mirostat_tau, "mirostat_tau");
  check_from_0(p.mirostat_eta, "mirostat_eta");
  check_penalties(p);
  check_dry(p);
  for (const LogitBias& bias : p.logit_bias)
    check(bias.bias < std::numeric_limits<float>::infinity(), "logit_bias", bias.bias,
          "a finite number or -inf");
}

}  // namespace confab::engine
