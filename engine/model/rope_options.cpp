// SPDX-License-Identifier: MIT
#include "engine/model/rope_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/gguf/gguf.h"
#include "engine/model/arch/architecture.h"
#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

float positive_or(const std::optional<float>& value, float own) noexcept {
  return value && *value > 0 ? *value : own;
}

// Gives layers with a sliding window a separate copy of the rotation that they share with the
// others.
void keep_rotation_of_windows(Hparams& hp) {
  const auto shares = [](const LayerHparams& layer) { return layer.window > 0 && layer.rope == 0; };
  if (std::ranges::none_of(hp.layers, shares)) return;
  const auto kept = static_cast<int>(hp.ropes.size());
  hp.ropes.push_back(RopeHparams(hp.ropes[0]));
  for (LayerHparams& layer : hp.layers) {
    if (shares(layer)) layer.rope = kept;
  }
}

float chosen_scale(const RopeOptions& options, float own) noexcept {
  const float freq_scale = positive_or(options.freq_scale, 0);
  return positive_or(options.scale, freq_scale > 0 ? 1 / freq_scale : own);
}

void set_yarn(const RopeOptions& options, RopeHparams& rope) {
  const float ext_factor = options.yarn_ext_factor.value_or(-1);
  if (ext_factor >= 0 && rope.scaling != RopeScaling::none)
    rope.scaling = ext_factor > 0 ? RopeScaling::yarn : RopeScaling::linear;
  if (rope.scaling != RopeScaling::yarn) return;
  rope.yarn_ext_factor = positive_or(options.yarn_ext_factor, rope.yarn_ext_factor);
  rope.yarn_beta_slow = positive_or(options.yarn_beta_slow, rope.yarn_beta_slow);
  rope.yarn_beta_fast = positive_or(options.yarn_beta_fast, rope.yarn_beta_fast);
  if (options.yarn_orig_ctx > 0) rope.n_ctx_orig = options.yarn_orig_ctx;
  rope.yarn_magnitude_scale = yarn_magnitude_scale(rope.yarn_log_multiplier, rope.scale_factor);
}

// A larger base slows all pairs down. The slowest pair is slowed by the factor of NTK-aware scaling
// (arXiv:2309.00071, section 3.1).
int reach(const RopeOptions& options, const RopeHparams& own, const RopeHparams& rope,
          int n_ctx_train) noexcept {
  constexpr double kMost = 1 << 28;
  const double by_scale = options.yarn_orig_ctx > 0
                              ? double{rope.scale_factor} * options.yarn_orig_ctx
                              : double{rope.scale_factor} / own.scale_factor * n_ctx_train;
  const double by_base =
      std::pow(double{rope.freq_base} / own.freq_base, (rope.n_rot - 2.0) / rope.n_rot);
  return static_cast<int>(
      std::clamp(std::round(by_scale * by_base), double{1} * n_ctx_train, kMost));
}

}  // namespace

float yarn_magnitude_scale(float log_multiplier, float factor) noexcept {
  if (log_multiplier == 0 || factor <= 1) return 1;
  const float log_factor = 0.1F * std::log(factor);
  return ((1 + log_factor) / (1 + log_multiplier * log_factor) - 1) / log_factor;
}

void apply_rope_options(const Gguf& gguf, const RopeOptions& options, Hparams& hp) {
  if (options == RopeOptions{}) return;
  keep_rotation_of_windows(hp);
  const RopeHparams own = hp.ropes[0];
  RopeHparams& rope = hp.ropes[0];
  rope.scaling = options.scaling.value_or(own.scaling);
  rope.scale_factor =
      rope.scaling == RopeScaling::none ? 1 : chosen_scale(options, own.scale_factor);
  rope.freq_base = positive_or(options.freq_base, own.freq_base);
  rope.attn_factor *= positive_or(options.yarn_attn_factor, 1);
  set_yarn(options, rope);
  if (rope.scaling == RopeScaling::yarn && rope.freq_base <= 1) {
    gguf.fail(fmt::format("RoPE has the base {}, but yarn needs more than 1; use linear",
                          rope.freq_base));
  }
  if (hp.latent.kv_rank > 0) scale_latent_scores(hp);
  hp.n_ctx_max = reach(options, own, rope, hp.n_ctx_train);
}

}  // namespace confab::engine
