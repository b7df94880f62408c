// SPDX-License-Identifier: MIT
// How the user wants positions to be rotated instead of as the file says, to go beyond the length
// that the model was trained for. The options have the meaning they have in llama.cpp.
#pragma once

#include <optional>

namespace confab::engine {

class Gguf;
struct Hparams;

enum class RopeScaling { none, linear, yarn };

// An option that is absent, or is 0 or less, leaves the model's value in place, except that 0 is a
// meaningful yarn_ext_factor.
struct RopeOptions {
  bool operator==(const RopeOptions&) const = default;

  std::optional<RopeScaling> scaling = {};
  std::optional<float> scale = {};       // factor by which the context grows
  std::optional<float> freq_scale = {};  // 1 / scale; scale takes precedence
  std::optional<float> freq_base = {};
  int yarn_orig_ctx = 0;                       // tokens that the model was trained for
  std::optional<float> yarn_ext_factor = {};   // 0: as linear; more: as yarn, whatever scaling says
  std::optional<float> yarn_attn_factor = {};  // multiplies the model's own
  std::optional<float> yarn_beta_slow = {};
  std::optional<float> yarn_beta_fast = {};
};

// Rotates the layers that see the whole context by these options, and raises hparams.n_ctx_max to
// the length that they reach. Layers with a sliding window never see farther than in training, so
// they keep the model's rotation. As in llama.cpp, a model whose file forbids scaling is not scaled
// unless options.scaling asks for it. Throws ModelError.
void apply_rope_options(const Gguf& gguf, const RopeOptions& options, Hparams& hparams);

// Returns RopeHparams::yarn_magnitude_scale for a model whose file gives another growth of the
// magnitude. log_multiplier 0: the file gives none.
float yarn_magnitude_scale(float log_multiplier, float factor) noexcept;

}  // namespace confab::engine
