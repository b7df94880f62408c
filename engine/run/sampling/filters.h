// SPDX-License-Identifier: MIT
// Samplers that take candidates away, by their logits alone. At least one is left by each.
#pragma once

#include "engine/run/pcg32.h"
#include "engine/run/sampling/candidates.h"

namespace confab::engine {

// The likeliest tokens whose probabilities reach `p`, the last one included (nucleus sampling;
// Holtzman et al. 2020, https://arxiv.org/abs/1904.09751).
void keep_top_p(Candidates& candidates, float p) noexcept;
// Tokens at least `p` times as likely as the likeliest (Nguyen et al. 2024,
// https://arxiv.org/abs/2407.01082).
void keep_min_p(Candidates& candidates, float p) noexcept;
// Tokens whose surprise -ln P is nearest to the entropy, until their probabilities reach `p`
// (Meister et al. 2023, https://arxiv.org/abs/2202.00666). Of equally near ones the likelier first
// where there are few candidates, else the lowest id.
void keep_typical(Candidates& candidates, float p) noexcept;
// Logits at most n standard deviations of all below the greatest (Tang et al. 2024,
// https://arxiv.org/abs/2411.07641).
void keep_top_n_sigma(Candidates& candidates, float n) noexcept;

struct Xtc {
  float probability;
  float threshold;
};
// Excludes the top choices: with this probability, of two or more tokens that are at least as
// probable as the threshold all but the least likely are taken away (P. E. Weidmann 2024,
// https://github.com/oobabooga/text-generation-webui/pull/6335). Draws one random number where
// there are two candidates or more, whether or not any is taken away.
void exclude_top_choices(Candidates& candidates, Xtc xtc, Pcg32& random) noexcept;

}  // namespace confab::engine
