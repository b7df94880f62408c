// SPDX-License-Identifier: MIT
// The sizes and constants of a model, read from its metadata and checked for sanity.
#pragma once

#include <cstdint>
#include <string>

namespace confab::engine {

class Gguf;

enum class RopeScaling { none, linear, yarn };

struct Hparams {
  std::string architecture;
  int n_ctx_train = 0;
  int n_embd = 0;
  int n_layer = 0;
  int n_ff = 0;
  int n_head = 0;
  int n_head_kv = 0;
  int head_dim_k = 0;
  int head_dim_v = 0;
  int n_rot = 0;
  int n_vocab = 0;  // rows of the output matrix
  float rms_norm_eps = 0;
  bool has_qkv_bias = false;  // biases of q, k and v must be there; other biases always may

  bool rope_interleaved = true;  // pairs (2i, 2i+1) as `llama`; else (i, i + n_rot/2), NEOX
  float rope_freq_base = 10000;
  RopeScaling rope_scaling = RopeScaling::none;
  float rope_scale_factor = 1;
  int rope_n_ctx_orig = 0;
  float yarn_ext_factor = 1;  // how much of the extrapolation is mixed in; yarn only, as the rest
  float yarn_attn_factor = 1;
  float yarn_beta_fast = 32;
  float yarn_beta_slow = 1;

  // Throws ModelError for an unknown architecture (with the list of known ones), a missing key or a
  // value that makes no sense.
  static Hparams load(const Gguf& gguf);
};

}  // namespace confab::engine
