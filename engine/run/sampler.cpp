// SPDX-License-Identifier: MIT
#include "engine/run/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/run/pcg32.h"
#include "engine/run/sampling/candidates.h"
#include "engine/run/sampling/draw.h"
#include "engine/run/sampling/filters.h"
#include "engine/run/sampling/penalties.h"

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

std::uint64_t fresh_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

bool is_on(SamplerKind kind, const SamplerParams& p) noexcept {
  switch (kind) {
    case SamplerKind::penalties:
      return p.repeat_last_n > 0 &&
             (p.repeat_penalty != 1 || p.frequency_penalty != 0 || p.presence_penalty != 0);
    case SamplerKind::dry:
      return p.dry_multiplier > 0 && p.dry_penalty_last_n > 0;
    case SamplerKind::top_n_sigma:
      return p.top_n_sigma > 0;
    case SamplerKind::top_k:
      return p.top_k > 0;
    case SamplerKind::typical:
      return p.typical_p < 1;
    case SamplerKind::top_p:
      return p.top_p < 1;
    case SamplerKind::min_p:
      return p.min_p > 0;
    case SamplerKind::xtc:
      return p.xtc_probability > 0 && p.xtc_threshold <= 0.5F;
    case SamplerKind::temperature:
      return true;
  }
  return false;
}

// Whether it removes tokens but never the likeliest.
bool keeps_best(SamplerKind kind) noexcept {
  using enum SamplerKind;
  return kind == top_n_sigma || kind == top_k || kind == top_p || kind == min_p;
}

bool is_filter(SamplerKind kind) noexcept {
  return keeps_best(kind) || kind == SamplerKind::typical || kind == SamplerKind::xtc;
}

Temperature temperature_of(const SamplerParams& p) noexcept {
  return {p.temperature, p.dynatemp_range, p.dynatemp_exponent};
}

// The samplers that are on, without those that make no difference. If only the best token is left
// in the end, filters that keep it are skipped.
std::vector<SamplerKind> steps_of(const SamplerParams& p) {
  std::vector<SamplerKind> steps;
  for (const SamplerKind kind : p.samplers) {
    if (!is_on(kind, p) || (p.mirostat != 0 && is_filter(kind))) continue;
    const bool ends = kind == SamplerKind::temperature && temperature_of(p).is_greedy();
    while (ends && !steps.empty() && keeps_best(steps.back())) steps.pop_back();
    steps.push_back(kind);
    if (ends) break;
  }
  return steps;
}

}  // namespace

struct Sampler::State {
  SamplerParams params;
  std::uint64_t seed;
  std::vector<SamplerKind> steps;
  std::vector<LogitEdit> biases;
  Penalties penalties;
  Dry dry;
  Mirostat mirostat;
  Pcg32 random;
  Candidates candidates;

  State(const SamplerParams& p, int n_vocab, const Tokenizer* tokenizer)
      : params(p),
        seed(p.seed ? *p.seed : fresh_seed()),
        steps(steps_of(p)),
        biases(bias_edits(p, n_vocab, tokenizer)),
        penalties(p, n_vocab),
        dry(p, n_vocab, tokenizer),
        mirostat(p, n_vocab),
        random(seed),
        candidates(static_cast<std::size_t>(n_vocab)) {}

  void apply(SamplerKind kind);
};

void Sampler::State::apply(SamplerKind kind) {
  switch (kind) {
    case SamplerKind::penalties:
      return penalties.apply(candidates);
    case SamplerKind::dry:
      return dry.apply(candidates);
    case SamplerKind::top_n_sigma:
      return keep_top_n_sigma(candidates, params.top_n_sigma);
    case SamplerKind::top_k:
      return candidates.keep_best(static_cast<std::size_t>(params.top_k));
    case SamplerKind::typical:
      return keep_typical(candidates, params.typical_p);
    case SamplerKind::top_p:
      return keep_top_p(candidates, params.top_p);
    case SamplerKind::min_p:
      return keep_min_p(candidates, params.min_p);
    case SamplerKind::xtc:
      return exclude_top_choices(candidates, {params.xtc_probability, params.xtc_threshold},
                                 random);
    case SamplerKind::temperature:
      return apply_temperature(candidates, temperature_of(params));
  }
}

Sampler::Sampler(const SamplerParams& params, int n_vocab, const Tokenizer* tokenizer) {
  check_params(params);
  state_ = std::make_unique<State>(params, n_vocab, tokenizer);
}
Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;

void Sampler::accept(Token token) {
  state_->penalties.accept(token);
  state_->dry.accept(token);
  state_->mirostat.accept(token);
}

Token Sampler::sample(std::span<const float> logits) {
  state_->candidates.begin(logits);
  return sample_begun();
}

Token Sampler::sample(std::span<const TopLogit> best) {
  state_->candidates.begin(best);
  return sample_begun();
}

int Sampler::n_enough() const noexcept {
  const State& s = *state_;
  if (!s.biases.empty() || s.mirostat.is_on()) return 0;
  switch (s.steps.empty() ? SamplerKind::penalties : s.steps.front()) {
    case SamplerKind::top_k:
      return s.params.top_k;
    case SamplerKind::temperature:
      return temperature_of(s.params).is_greedy() ? 1 : 0;
    default:
      return 0;
  }
}

Token Sampler::sample_begun() {
  State& s = *state_;
  s.candidates.edit(s.biases);
  for (const SamplerKind kind : s.steps) {
    const bool edits = kind == SamplerKind::penalties || kind == SamplerKind::dry;
    if (!edits) s.candidates.settle();
    s.apply(kind);
  }
  s.candidates.settle();
  if (s.mirostat.is_on()) s.mirostat.truncate(s.candidates);
  const Drawn drawn = draw(s.candidates, s.random);
  s.mirostat.note(drawn);
  return drawn.token;
}

std::uint64_t Sampler::seed() const noexcept {
  return state_->seed;
}

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
