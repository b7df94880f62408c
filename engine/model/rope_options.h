// SPDX-License-Identifier: MIT
// How a person wants positions to be rotated instead of as the file says, to go beyond the length
// that a model was trained for. The options and what they mean are llama.cpp's.
#pragma once

#include <optional>

namespace confab::engine {

class Gguf;
struct Hparams;

enum class RopeScaling { none, linear, yarn };

// What is not there, or is 0 or less, is as the model has it; of yarn_ext_factor, 0 means
// something.
struct RopeOptions {
  bool operator==(const RopeOptions&) const = default;

  std::optional<RopeScaling> scaling = {};
  std::optional<float> scale = {};       // by which the context grows
  std::optional<float> freq_scale = {};  // 1 / scale; scale comes first
  std::optional<float> freq_base = {};
  int yarn_orig_ctx = 0;                       // tokens that the model was trained for
  std::optional<float> yarn_ext_factor = {};   // 0: as linear; more: as yarn, whatever scaling says
  std::optional<float> yarn_attn_factor = {};  // multiplies the model's own
  std::optional<float> yarn_beta_slow = {};
  std::optional<float> yarn_beta_fast = {};
};

// Rotates the layers that see everything by these, and lets the context grow to what that reaches:
// hparams.n_ctx_max. Layers that look back at a window never see farther than in training and stay
// as the model has them; as in llama.cpp, a model that says it is not to be scaled is not, unless
// options.scaling says so. Throws ModelError.
void apply_rope_options(const Gguf& gguf, const RopeOptions& options, Hparams& hparams);

// RopeHparams::yarn_magnitude_scale of a model that says by what else its magnitude grows;
// log_multiplier 0: it does not say.
float yarn_magnitude_scale(float log_multiplier, float factor) noexcept;

}  // namespace confab::engine
