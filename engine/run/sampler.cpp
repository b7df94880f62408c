// SPDX-License-Identifier: MIT
#include "engine/run/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "engine/error.h"
#include "engine/run/pcg32.h"

namespace confab::engine {
namespace {

constexpr int kMaxRepeatLastN = 1 << 20;

struct Candidate {
  float logit;
  Token id;
};

// A total order, so that what is kept and where it stands does not depend on the library's sort.
bool better(const Candidate& a, const Candidate& b) noexcept {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

// e^x for x <= 0 with additions and multiplications only, which round alike everywhere; libm's exp
// does not. x = k ln 2 + r with |r| <= ln 2 / 2, then Taylor's series to r^11, whose first term
// left out is below 1e-14.
double portable_exp(double x) noexcept {
  constexpr double kLn2High = 0x1.62e42feep-1;  // k * kLn2High is exact for the k that occur
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kTerms[] = {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                               1.0 / 5040,     1.0 / 720,     1.0 / 120,    1.0 / 24,
                               1.0 / 6,        1.0 / 2,       1.0,          1.0};
  if (!(x > -708)) return 0;
  const int k = static_cast<int>(x * kLog2E - 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 0;
  for (const double term : kTerms) sum = sum * r + term;
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + k) << 52U);
}

template <typename Number>
void check(bool ok, std::string_view name, Number found, std::string_view expected) {
  if (!ok) throw ModelError(fmt::format("{}: found {}, expected {}", name, found, expected));
}

void check_params(const SamplerParams& p) {
  check(std::isfinite(p.temperature) && p.temperature >= 0, "temperature", p.temperature,
        "a number from 0");
  check(p.top_k >= 0, "top_k", p.top_k, "a number from 0 (off)");
  check(p.top_p >= 0 && p.top_p <= 1, "top_p", p.top_p, "a number from 0 to 1 (off)");
  check(p.min_p >= 0 && p.min_p <= 1, "min_p", p.min_p, "a number from 0 (off) to 1");
  check(std::isfinite(p.repeat_penalty) && p.repeat_penalty > 0, "repeat_penalty", p.repeat_penalty,
        "a number above 0 (1: off)");
  check(std::isfinite(p.frequency_penalty), "frequency_penalty", p.frequency_penalty,
        "a finite number");
  check(std::isfinite(p.presence_penalty), "presence_penalty", p.presence_penalty,
        "a finite number");
  check(p.repeat_last_n >= 0 && p.repeat_last_n <= kMaxRepeatLastN, "repeat_last_n",
        p.repeat_last_n, fmt::format("a number from 0 (off) to {}", kMaxRepeatLastN));
}

std::uint64_t fresh_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

// The last repeat_last_n tokens as a ring, and how often each token stands in it.
class RecentTokens {
 public:
  RecentTokens(int capacity, int n_vocab)
      : ring_(static_cast<std::size_t>(capacity)), counts_(static_cast<std::size_t>(n_vocab)) {}

  void add(Token token) noexcept {
    if (ring_.empty()) return;
    Token& slot = ring_[next_];
    if (size_ == ring_.size()) {
      --counts_[static_cast<std::size_t>(slot)];
    } else {
      ++size_;
    }
    slot = token;
    ++counts_[static_cast<std::size_t>(token)];
    next_ = (next_ + 1) % ring_.size();
  }

  // Positive logits of recent tokens are divided by repeat_penalty and negative ones multiplied
  // (Keskar et al. 2019); the other two penalties are subtracted, by count and once.
  void penalise(const SamplerParams& p, std::span<float> logits) noexcept {
    for (std::size_t i = 0; i < size_; ++i) {
      int& count = counts_[static_cast<std::size_t>(ring_[i])];
      if (count < 0) continue;
      float& logit = logits[static_cast<std::size_t>(ring_[i])];
      logit = logit > 0 ? logit / p.repeat_penalty : logit * p.repeat_penalty;
      logit -= static_cast<float>(count) * p.frequency_penalty + p.presence_penalty;
      count = -count;  // done; the token may stand in the ring again
    }
    for (std::size_t i = 0; i < size_; ++i) {
      int& count = counts_[static_cast<std::size_t>(ring_[i])];
      count = std::abs(count);
    }
  }

 private:
  std::vector<Token> ring_;
  std::vector<int> counts_;  // [n_vocab]
  std::size_t next_ = 0;
  std::size_t size_ = 0;
};

bool penalties_on(const SamplerParams& p) noexcept {
  return p.repeat_last_n > 0 &&
         (p.repeat_penalty != 1 || p.frequency_penalty != 0 || p.presence_penalty != 0);
}

// Candidates that collect_top_k() holds before it cuts them back to k.
std::size_t top_k_room(std::size_t k) noexcept {
  return k + std::max<std::size_t>(k, 512);
}

// Neither an infinity nor NaN can be compared with the rest, so such tokens are never picked.
bool usable(float logit) noexcept {
  return std::isfinite(logit);
}

}  // namespace

struct Sampler::State {
  SamplerParams params;
  std::size_t n_vocab;
  std::uint64_t seed;
  Pcg32 random;
  RecentTokens recent;
  std::vector<float> penalised = {};       // [n_vocab], when penalties are on
  std::vector<Candidate> candidates = {};  // what is left after each filter
  std::vector<double> weights = {};        // of the candidates, for the draw

  State(const SamplerParams& p, int n)
      : params(p),
        n_vocab(static_cast<std::size_t>(n)),
        seed(p.seed ? *p.seed : fresh_seed()),
        random(seed),
        recent(penalties_on(p) ? p.repeat_last_n : 0, penalties_on(p) ? n : 0) {
    const auto k = static_cast<std::size_t>(p.top_k);
    const bool cuts = k > 0 && k < n_vocab;
    candidates.reserve(cuts ? top_k_room(k) : n_vocab);
    weights.reserve(cuts ? k : n_vocab);
  }

  std::span<const float> penalise(std::span<const float> logits);
  Token greedy(std::span<const float> logits) const;
  void collect_all(std::span<const float> logits);
  void collect_top_k(std::span<const float> logits, std::size_t k);
  float best_logit() const;
  void keep_min_p(float best);
  void keep_top_p(float best, double total);
  void keep_probable();
  Token draw();
};

std::span<const float> Sampler::State::penalise(std::span<const float> logits) {
  if (!penalties_on(params)) return logits;
  penalised.assign(logits.begin(), logits.end());
  recent.penalise(params, penalised);
  return penalised;
}

Token Sampler::State::greedy(std::span<const float> logits) const {
  std::size_t best = n_vocab;
  for (std::size_t id = 0; id < n_vocab; ++id) {
    if (usable(logits[id]) && (best == n_vocab || logits[id] > logits[best])) best = id;
  }
  if (best == n_vocab) throw ModelError("no logit is finite: the model file is broken");
  return static_cast<Token>(best);
}

void Sampler::State::collect_all(std::span<const float> logits) {
  candidates.clear();
  for (std::size_t id = 0; id < n_vocab; ++id) {
    if (usable(logits[id])) candidates.push_back({logits[id], static_cast<Token>(id)});
  }
}

// The k best, sorted. One pass with a buffer that is cut back to k whenever it is full, so that
// nearly all of a large vocabulary costs one comparison each.
void Sampler::State::collect_top_k(std::span<const float> logits, std::size_t k) {
  const std::size_t room = top_k_room(k);
  const auto cut = [this, k] {
    if (candidates.size() <= k) return;
    const auto kth = candidates.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(candidates.begin(), kth, candidates.end(), better);
    candidates.resize(k);
  };
  candidates.clear();
  float bar = -std::numeric_limits<float>::infinity();
  for (std::size_t id = 0; id < n_vocab; ++id) {
    if (!(logits[id] > bar) || !usable(logits[id])) continue;
    candidates.push_back({logits[id], static_cast<Token>(id)});
    if (candidates.size() < room) continue;
    cut();
    bar = candidates.back().logit;  // an equal one further on has a higher id, so it is no better
  }
  cut();
  std::sort(candidates.begin(), candidates.end(), better);
}

float Sampler::State::best_logit() const {
  return std::min_element(candidates.begin(), candidates.end(), better)->logit;
}

// Keeps the tokens at least min_p times as likely as the likeliest (Nguyen et al. 2024).
void Sampler::State::keep_min_p(float best) {
  std::erase_if(candidates, [this, best](const Candidate& c) {
    return portable_exp(double{c.logit} - best) < params.min_p;
  });
}

// Keeps the likeliest tokens whose weights reach top_p of `total` (Holtzman et al. 2020). Sorts
// only as far as it has to.
void Sampler::State::keep_top_p(float best, double total) {
  const auto at = [this](std::size_t i) {
    return candidates.begin() + static_cast<std::ptrdiff_t>(i);
  };
  double sum = 0;
  std::size_t n_sorted = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (i == n_sorted) {
      n_sorted = std::min(candidates.size(), std::max<std::size_t>(64, 4 * n_sorted));
      if (n_sorted < candidates.size()) {
        std::nth_element(at(i), at(n_sorted), candidates.end(), better);
      }
      std::sort(at(i), at(n_sorted), better);
    }
    sum += portable_exp(double{candidates[i].logit} - best);
    if (sum >= params.top_p * total) return candidates.resize(i + 1);
  }
}

// Both filters keep the head of the sorted candidates, so min-p may go first and spare top-p the
// sorting; top-p still counts its share of all the candidates there were.
void Sampler::State::keep_probable() {
  const float best = best_logit();
  double total = 0;
  if (params.top_p < 1) {
    for (const Candidate& c : candidates) total += portable_exp(double{c.logit} - best);
  }
  if (params.min_p > 0) keep_min_p(best);
  if (params.top_p < 1) keep_top_p(best, total);
}

Token Sampler::State::draw() {
  const double best = best_logit();
  double total = 0;
  weights.clear();
  for (const Candidate& c : candidates) {
    weights.push_back(portable_exp((c.logit - best) / double{params.temperature}));
    total += weights.back();
  }
  double left = random.next_double() * total;
  std::size_t last = 0;  // where rounding leaves something over
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    last = i;
    left -= weights[i];
    if (left < 0) break;
  }
  return candidates[last].id;
}

Sampler::Sampler(const SamplerParams& params, int n_vocab) {
  check_params(params);
  state_ = std::make_unique<State>(params, n_vocab);
}
Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;

void Sampler::accept(Token token) {
  assert(token >= 0 && static_cast<std::size_t>(token) < state_->n_vocab);
  state_->recent.add(token);
}

Token Sampler::sample(std::span<const float> logits) {
  State& s = *state_;
  assert(logits.size() == s.n_vocab);
  const std::span<const float> row = s.penalise(logits);
  if (s.params.temperature == 0) return s.greedy(row);
  const auto k = static_cast<std::size_t>(s.params.top_k);
  if (k > 0 && k < s.n_vocab) {
    s.collect_top_k(row, k);
  } else {
    s.collect_all(row);
  }
  if (s.candidates.empty()) {
    throw ModelError("no logit is finite: the model file is broken");
  }
  s.keep_probable();
  return s.draw();
}

std::uint64_t Sampler::seed() const noexcept {
  return state_->seed;
}

}  // namespace confab::engine
