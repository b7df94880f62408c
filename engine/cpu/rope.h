// SPDX-License-Identifier: MIT
// The angles of rotary position embeddings (Su et al. 2021), with what models do to reach longer
// contexts: linear position interpolation (Chen et al. 2023), YaRN (Peng et al. 2023, section 3)
// and divisors of each frequency: those of Llama 3 (rope_freqs.weight), or the two sets of LongRoPE
// (Ding et al. 2024), of which the size of the context chooses one.
#pragma once

#include <span>
#include <vector>

namespace confab::engine {

struct Hparams;
struct RopeHparams;
struct Weights;

class Rope {
 public:
  // freq_factors: [n_rot / 2] divisors of the frequencies, or nullptr; copied.
  Rope(const RopeHparams& hparams, const float* freq_factors);

  // The cosines and sines of position `pos`, [n_rot / 2] each, with the magnitude multiplied in.
  // Computed in double precision, so that far positions keep theirs.
  void angles(int pos, float* cosines, float* sines) const noexcept;

  std::span<const double> frequencies() const noexcept { return frequencies_; }
  double magnitude() const noexcept { return magnitude_; }

 private:
  std::vector<double> frequencies_;  // [n_rot / 2], in radians a position
  double magnitude_ = 1;
};

// One for each of hparams.ropes, as a context of n_ctx tokens needs them.
std::vector<Rope> make_ropes(const Hparams& hparams, const Weights& weights, int n_ctx);

}  // namespace confab::engine
