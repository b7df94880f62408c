// SPDX-License-Identifier: MIT
// The angles of rotary position embeddings (Su et al. 2021), with what models do to reach longer
// contexts: linear position interpolation (Chen et al. 2023), YaRN (Peng et al. 2023, section 3)
// and the per-frequency divisors of Llama 3 (rope_freqs.weight).
#pragma once

#include <vector>

namespace confab::engine {

struct Hparams;

class Rope {
 public:
  // freq_factors: [n_rot / 2] divisors of the frequencies, or nullptr; copied.
  Rope(const Hparams& hparams, const float* freq_factors);

  // The cosines and sines of position `pos`, [n_rot / 2] each, with YaRN's magnitude multiplied in.
  // Computed in double precision. Cost: n_rot / 2 sines and cosines.
  void angles(int pos, float* cosines, float* sines) const noexcept;

 private:
  std::vector<double> frequencies_;  // radians per position
  double magnitude_ = 1;
};

}  // namespace confab::engine
