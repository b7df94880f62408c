// SPDX-License-Identifier: MIT
#include "engine/cpu/rope.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "engine/model/hparams.h"
#include "engine/model/weights.h"

namespace confab::engine {
namespace {

// The pair that turns n_turns times over the original context. Pairs are counted as real numbers.
double pair_of_turns(const RopeHparams& hp, double n_turns) noexcept {
  const double turns_at_base = hp.n_ctx_orig / (n_turns * 2 * std::numbers::pi);
  return hp.n_rot * std::log(turns_at_base) / (2 * std::log(double{hp.freq_base}));
}

// How much of the unscaled frequency each pair keeps. Fast pairs, which make whole turns within the
// original context, keep all of it; slow pairs keep nothing; a ramp connects the two.
class YarnRamp {
 public:
  explicit YarnRamp(const RopeHparams& hp) noexcept
      : low_(std::max(0.0, std::floor(pair_of_turns(hp, hp.yarn_beta_fast)))),
        high_(std::min(hp.n_rot - 1.0, std::ceil(pair_of_turns(hp, hp.yarn_beta_slow)))),
        ext_factor_(hp.yarn_ext_factor) {}

  double share(int pair) const noexcept {
    const double y = (pair - low_) / std::max(0.001, high_ - low_);
    return (1 - std::clamp(y, 0.0, 1.0)) * ext_factor_;
  }

 private:
  double low_;
  double high_;
  double ext_factor_;
};

// The divisors for a context of n_ctx tokens, or nullptr if the model has none.
const float* freq_factors(const RopeHparams& hp, const Weights& w, int n_ctx) noexcept {
  if (!hp.freq_factors) return nullptr;
  if (w.rope_freqs != nullptr) return w.rope_freqs;
  return n_ctx > hp.n_ctx_orig ? w.rope_factors_long : w.rope_factors_short;
}

}  // namespace

Rope::Rope(const RopeHparams& hp, const float* freq_factors) {
  const bool yarn = hp.scaling == RopeScaling::yarn;
  for (int i = 0; i < hp.n_rot / 2; ++i) {
    const double factor = freq_factors == nullptr ? 1.0 : double{freq_factors[i]};
    const double unscaled = std::pow(double{hp.freq_base}, -2.0 * i / hp.n_rot) / factor;
    const double scaled = unscaled / hp.scale_factor;
    const double share = yarn ? YarnRamp(hp).share(i) : 0.0;
    frequencies_.push_back(scaled * (1 - share) + unscaled * share);
  }
  magnitude_ = double{hp.attn_factor};
  if (yarn && hp.scale_factor > 1) {
    magnitude_ *= 1 + 0.1 * std::log(double{hp.scale_factor}) * double{hp.yarn_magnitude_scale};
  }
}

void Rope::angles(int pos, float* cosines, float* sines) const noexcept {
  for (std::size_t i = 0; i < frequencies_.size(); ++i) {
    const double angle = pos * frequencies_[i];
    cosines[i] = static_cast<float>(std::cos(angle) * magnitude_);
    sines[i] = static_cast<float>(std::sin(angle) * magnitude_);
  }
}

std::vector<Rope> make_ropes(const Hparams& hparams, const Weights& weights, int n_ctx) {
  std::vector<Rope> ropes;
  for (const RopeHparams& hp : hparams.ropes) {
    ropes.emplace_back(hp, freq_factors(hp, weights, n_ctx));
  }
  return ropes;
}

}  // namespace confab::engine
