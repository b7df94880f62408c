// SPDX-License-Identifier: MIT
// The angles of rotary position embeddings (Su et al. 2021), and the methods that models use to
// reach longer contexts: linear position interpolation (Chen et al. 2023), YaRN (Peng et al. 2023,
// section 3), and divisors for each frequency. Llama 3 has one set of divisors (rope_freqs.weight);
// LongRoPE (Ding et al. 2024) has two, and the size of the context decides which is used.
#pragma once

#include <span>
#include <vector>

namespace confab::engine {

struct Hparams;
struct RopeHparams;
struct Weights;

class Rope {
 public:
  // freq_factors: [n_rot / 2] divisors of the frequencies, or nullptr. They are copied.
  Rope(const RopeHparams& hparams, const float* freq_factors);

  // The cosines and sines of position `pos`, [n_rot / 2] each, multiplied by the magnitude.
  // Computed in double precision, so that far positions stay accurate.
  void angles(int pos, float* cosines, float* sines) const noexcept;

  std::span<const double> frequencies() const noexcept { return frequencies_; }
  double magnitude() const noexcept { return magnitude_; }

 private:
  std::vector<double> frequencies_;  // [n_rot / 2], in radians per position
  double magnitude_ = 1;
};

// Makes one Rope for each of hparams.ropes, for a context of n_ctx tokens.
std::vector<Rope> make_ropes(const Hparams& hparams, const Weights& weights, int n_ctx);

}  // namespace confab::engine
