// SPDX-License-Identifier: MIT
#include "engine/run/sampling/candidates.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "engine/error.h"
#include "engine/run/sampling/portable_math.h"

namespace confab::engine {
namespace {

constexpr float kLeast = -87;  // e^x is a normal number from here on

// e^x for x <= 0: x = k ln 2 + r with |r| <= ln 2 / 2, then Taylor's series up to r^7; the first
// omitted term is below 1e-8. Adding 1.5 * 2^23 rounds to an integer and puts k into the low bits.
Floats exp_of(Floats x) noexcept {
  constexpr float kLog2E = 1.44269504F, kRound = 12582912, kLn2High = 0.693359375F,
                  kLn2Low = -2.12194440e-4F;
  const Floats rounded = x * kLog2E + kRound;
  const Floats k = rounded - kRound;
  const Floats r = (x - k * kLn2High) - k * kLn2Low;
  Floats sum = r * (1.0F / 5040) + 1.0F / 720;
  sum = sum * r + 1.0F / 120;
  sum = sum * r + 1.0F / 24;
  sum = sum * r + 1.0F / 6;
  sum = sum * r + 0.5F;
  sum = sum * r + 1;
  sum = sum * r + 1;
  const Words bits = std::bit_cast<Words>(sum) + (std::bit_cast<Words>(rounded) << 23);
  const Words in_range = std::bit_cast<Words>(x > kLeast);
  return std::bit_cast<Floats>(bits & in_range);  // otherwise the bits are not a number
}

struct Sums {
  double weights = 0;
  double moments = 0;  // sum of weight * x
};

double sum_of(Floats x) noexcept {
  return (double{x[0]} + double{x[1]}) + (double{x[2]} + double{x[3]});
}

// At most kWeightBlock logits, in whole lanes. Uses single precision only over short stretches.
Sums weigh(const float* logits, std::size_t n, Floats best, Floats per_degree,
           float* weights) noexcept {
  constexpr std::size_t kStretch = 8 * kLanes;
  Sums sums;
  for (std::size_t begin = 0; begin < n; begin += kStretch) {
    Floats total = all_of(0), moment = all_of(0);
    for (std::size_t i = begin; i < std::min(n, begin + kStretch); i += kLanes) {
      const Floats x = (load(logits + i) - best) * per_degree;
      const Floats weight = exp_of(x);
      store(weight, weights + i);
      total += weight;
      moment += weight > 0.0F ? weight * x : all_of(0);  // x may be -infinity
    }
    sums.weights += sum_of(total);
    sums.moments += sum_of(moment);
  }
  return sums;
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLowest = std::numeric_limits<float>::lowest();

struct BlockScan {
  float best = -kInfinity;  // ignores NaN
  bool finite = true;
};

BlockScan scan(std::span<const float> block) noexcept {
  const std::size_t n_whole = block.size() - block.size() % kLanes;
  Floats best = all_of(-kInfinity);
  Ints unusable = {};
  for (std::size_t i = 0; i < n_whole; i += kLanes) {
    const Floats x = load(&block[i]);
    best = x > best ? x : best;
    unusable |= x - x != 0.0F;  // x - x is NaN if x is infinite or NaN
  }
  BlockScan found;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    found.best = std::max(found.best, best[lane]);
    found.finite &= unusable[lane] == 0;
  }
  for (const float x : block.subspan(n_whole)) {
    if (x > found.best) found.best = x;
    found.finite &= std::isfinite(x);
  }
  return found;
}

}  // namespace

Candidates::Candidates(std::size_t n_vocab)
    : n_vocab_(n_vocab),
      own_(std::make_unique_for_overwrite<float[]>(n_vocab)),
      ids_(std::make_unique_for_overwrite<Token[]>(n_vocab)),
      weights_(std::make_unique_for_overwrite<float[]>(n_vocab)),
      nearness_(std::make_unique_for_overwrite<float[]>(n_vocab)),
      few_weights_(kFew),
      block_sums_((n_vocab + kWeightBlock - 1) / kWeightBlock),
      row_bests_((n_vocab + kRowBlock - 1) / kRowBlock),
      sorted_bests_(row_bests_.size()),
      selection_(n_vocab) {}

void Candidates::begin(std::span<const float> row) noexcept {
  assert(row.size() == n_vocab_);
  logits_ = row.data();
  n_ = n_vocab_;
  whole_ = true;
  few_ = settled_ = false;
  least_ = kLowest;
  temperature_ = 1;
}

void Candidates::begin(std::span<const TopLogit> best) noexcept {
  assert(best.size() <= kFew);
  n_ = best.size();
  for (std::size_t i = 0; i < n_; ++i) {
    own_[i] = best[i].logit;
    ids_[i] = best[i].token;
  }
  logits_ = own_.get();
  whole_ = few_ = settled_ = false;
  least_ = kLowest;
  temperature_ = 1;
}

void Candidates::own_logits() noexcept {
  const auto divided = [this](float logit) { return static_cast<float>(logit / temperature_); };
  if (temperature_ != 1)
    std::transform(logits_, logits_ + n_, own_.get(), divided);
  else if (logits_ != own_.get())
    std::copy_n(logits_, n_, own_.get());
  logits_ = own_.get();
  temperature_ = 1;
}

float* Candidates::find(Token token) noexcept {
  if (whole_) return &own_[static_cast<std::size_t>(token)];
  const std::span<const Token> ids(ids_.get(), n_);
  const auto at = few_ ? std::ranges::find(ids, token)  // sorted by logit; else sorted by id
                       : std::ranges::lower_bound(ids, token);
  return at == ids.end() || *at != token ? nullptr
                                         : &own_[static_cast<std::size_t>(at - ids.begin())];
}

void Candidates::edit(std::span<const LogitEdit> edits) noexcept {
  if (edits.empty()) return;
  own_logits();
  for (const LogitEdit& edit : edits) {
    float* const logit = find(edit.token);
    if (logit == nullptr) continue;
    *logit = *logit > 0 ? *logit / edit.divisor : *logit * edit.divisor;
    *logit -= edit.less;
  }
  least_ = kLowest;
  settled_ = false;
}

bool Candidates::scan_row() noexcept {
  bool finite = true;
  best_ = -kInfinity;
  for (std::size_t block = 0; block < n_row_blocks(); ++block) {
    const std::size_t begin = block * kRowBlock;
    const BlockScan found = scan({logits_ + begin, std::min(kRowBlock, n_ - begin)});
    row_bests_[block] = found.best;
    finite &= found.finite;
    best_ = std::max(best_, found.best);
  }
  return finite;
}

void Candidates::settle() {
  if (settled_) return;
  const auto is_usable = [this](std::size_t i) { return std::isfinite(logits_[i]); };
  const bool stays_whole = whole_ && scan_row() && n_ > kFew;
  if (!stays_whole) {
    compact(kLowest, is_usable);
    if (n_ == 0) throw ModelError("no logit is finite: the model file is broken");
    if (n_ <= kFew) sort_few();
    find_best();
  }
  settled_ = true;
}

void Candidates::find_best() noexcept {
  best_ = logits_[0];
  if (few_) return;
  for (std::size_t begin = 0; begin < n_; begin += kRowBlock)
    best_ = std::max(best_, scan({logits_ + begin, std::min(kRowBlock, n_ - begin)}).best);
}

void Candidates::sort_few() noexcept {
  assert(n_ <= kFew);
  few_ = true;
  std::array<std::pair<float, Token>, kFew> pairs;
  for (std::size_t i = 0; i < n_; ++i) pairs[i] = {-own_[i], ids_[i]};
  std::sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(n_));
  for (std::size_t i = 0; i < n_; ++i) {
    own_[i] = -pairs[i].first;
    ids_[i] = pairs[i].second;
  }
}

template <class Visit>
void Candidates::visit_from(float bar, const Visit& visit) const noexcept {
  if (!whole_) {
    for (std::size_t i = 0; i < n_; ++i) visit(i);
    return;
  }
  for (std::size_t block = 0; block < n_row_blocks(); ++block) {
    if (row_bests_[block] < bar) continue;
    const std::size_t end = std::min((block + 1) * kRowBlock, n_);
    for (std::size_t i = block * kRowBlock; i < end; ++i) visit(i);
  }
}

template <class IsKept>
void Candidates::compact(float bar, const IsKept& is_kept) noexcept {
  const float* const from = logits_;
  float* const own = own_.get();
  Token* const ids = ids_.get();
  std::size_t n_kept = 0;  // <= i, so nothing is overwritten before it is read
  const auto take = [&](std::size_t i, Token token) {
    const bool kept = is_kept(i);  // first, because it may read what is written next
    own[n_kept] = from[i];
    ids[n_kept] = token;
    n_kept += kept ? 1 : 0;
  };
  if (whole_)
    visit_from(bar, [&](std::size_t i) { take(i, static_cast<Token>(i)); });
  else
    visit_from(bar, [&](std::size_t i) { take(i, ids[i]); });
  logits_ = own;
  n_ = n_kept;
  whole_ = false;
}

SoftmaxSums Candidates::weigh() noexcept {
  const std::span<float> weights(weights_.get(), n_);
  if (!few_)
    return softmax_weights(logits(), best_, temperature_, weights,
                           std::span(block_sums_).first(n_blocks()));
  SoftmaxSums sums;
  for (std::size_t i = 0; i < n_; ++i) {
    const double x = (logits_[i] - double{best_}) / temperature_;
    few_weights_[i] = portable_exp(x);
    weights[i] = static_cast<float>(few_weights_[i]);
    sums.total += few_weights_[i];
    if (few_weights_[i] > 0) sums.mean += few_weights_[i] * x;
  }
  sums.mean /= sums.total;
  return sums;
}

float Candidates::bar_of(double weight) const noexcept {
  std::uint32_t least = rank_of(kLowest), most = rank_of(best_);
  while (least < most) {
    const std::uint32_t middle = least + (most - least) / 2;
    if (portable_exp((float_of(middle) - double{best_}) / temperature_) >= weight)
      most = middle;
    else
      least = middle + 1;
  }
  return float_of(most);
}

void Candidates::keep(std::span<const float> keys, Cut cut) noexcept {
  assert(keys.size() == n_);
  std::size_t n_equal = cut.n_equal;
  const bool by_logit = keys.data() == logits_;
  compact(by_logit ? cut.bar : -kInfinity, [&](std::size_t i) {
    const bool is_equal = keys[i] == cut.bar && n_equal > 0;
    n_equal -= is_equal ? 1 : 0;
    return keys[i] > cut.bar || is_equal;
  });
  if (by_logit) least_ = cut.bar;
  if (!few_ && n_ <= kFew) sort_few();
  if (!by_logit) find_best();
}

void Candidates::copy_best(std::span<float> best) noexcept {
  assert(best.size() <= n_);
  if (few_) return void(std::copy_n(logits_, best.size(), best.begin()));
  const float bar = selection_.first(logits(), best.size()).bar;
  std::size_t n_above = 0;
  visit_from(bar, [&](std::size_t i) {
    if (logits_[i] > bar) best[n_above++] = logits_[i];
  });
  std::ranges::fill(best.subspan(n_above), bar);
  std::ranges::sort(best, std::greater<>());
}

void Candidates::keep_best(std::size_t k) noexcept {
  if (k >= n_) return;
  if (few_) {
    n_ = k;
    return;
  }
  if (!whole_ || k > n_row_blocks() / 8) return keep(logits(), selection_.first(logits(), k));
  // Each of these k blocks has a logit at or above the bar, so at least k logits are.
  std::copy_n(row_bests_.begin(), n_row_blocks(), sorted_bests_.begin());
  const auto kth = sorted_bests_.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(sorted_bests_.begin(), kth, sorted_bests_.end(), std::greater<>());
  keep_from(*kth);
  keep_best(k);
}

void Candidates::keep_from(float bar) noexcept {
  if (bar > least_) keep(logits(), {bar, n_});
}

void Candidates::keep_mass(double mass) noexcept {
  if (!few_) return keep(logits(), selection_.reach(logits(), weights(), mass));
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    sum += few_weights_[i];
    if (sum < mass) continue;
    n_ = i + 1;
    return;
  }
}

void Candidates::keep_mass_near(double logit, double mass) noexcept {
  const auto centre = static_cast<float>(logit);
  const std::span<float> nearness(nearness_.get(), n_);
  for (std::size_t i = 0; i < n_; ++i) nearness[i] = -std::abs(logits_[i] - centre);
  keep(nearness, selection_.reach(nearness, weights(), mass));
}

std::size_t Candidates::drop_above_last(float bar) noexcept {
  std::size_t n_above = 0, last = 0;
  visit_from(bar, [&](std::size_t i) {
    if (logits_[i] < bar) return;
    if (n_above++ == 0 || logits_[i] <= logits_[last]) last = i;
  });
  if (n_above < 2) return 0;
  const float logit = logits_[last];
  const auto is_kept = [&](std::size_t i) {
    return logits_[i] < logit || (logits_[i] == logit && i >= last);
  };
  compact(-kInfinity, is_kept);
  if (!few_ && n_ <= kFew) sort_few();
  best_ = logit;
  return n_above - 1;
}

SoftmaxSums softmax_weights(std::span<const float> logits, float best, double temperature,
                            std::span<float> weights, std::span<double> block_sums) noexcept {
  assert(weights.size() == logits.size());
  assert(block_sums.size() == (logits.size() + kWeightBlock - 1) / kWeightBlock);
  constexpr double kMost = std::numeric_limits<float>::max();
  const Floats bests = all_of(best);
  const Floats per_degree = all_of(static_cast<float>(std::min(1 / temperature, kMost)));
  Sums all;
  const std::size_t n = logits.size(), n_whole = n - n % kLanes;
  for (std::size_t begin = 0, block = 0; begin < n; begin += kWeightBlock, ++block) {
    const std::size_t end = std::min(begin + kWeightBlock, n_whole);
    Sums sums;
    if (begin < end)
      sums = weigh(logits.data() + begin, end - begin, bests, per_degree, weights.data() + begin);
    if (begin + kWeightBlock > n_whole && n_whole < n) {
      std::array<float, kLanes> last, last_weights;
      last.fill(-std::numeric_limits<float>::infinity());
      std::copy(logits.begin() + static_cast<std::ptrdiff_t>(n_whole), logits.end(), last.begin());
      const Sums rest = weigh(last.data(), kLanes, bests, per_degree, last_weights.data());
      std::copy_n(last_weights.begin(), n - n_whole,
                  weights.begin() + static_cast<std::ptrdiff_t>(n_whole));
      sums.weights += rest.weights;
      sums.moments += rest.moments;
    }
    block_sums[block] = sums.weights;
    all.weights += sums.weights;
    all.moments += sums.moments;
  }
  return {all.weights, all.moments / all.weights};
}

}  // namespace confab::engine
