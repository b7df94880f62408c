// SPDX-License-Identifier: MIT
// What an architecture changes of the common decoder. Adding one: a file here that defines its
// Architecture, and a line in registry.def.
#pragma once

#include <string>
#include <string_view>

namespace confab::engine {

class KeyReader;
struct Hparams;
struct RopeHparams;

struct Architecture {
  std::string_view name;  // general.architecture, also the prefix of its keys
  // Called when the common keys have been read: sets what differs, and throws ModelError for what
  // the file asks for and the decoder cannot do.
  void (*specialise)(const KeyReader& keys, Hparams& hparams);
};

#define CONFAB_ARCHITECTURE(architecture) extern const Architecture architecture;
#include "engine/model/arch/registry.def"
#undef CONFAB_ARCHITECTURE

const Architecture* find_architecture(std::string_view name) noexcept;  // nullptr: unknown
std::string known_architectures();                                      // "command-r, gemma2, ..."

// What several architectures share.
void refuse_experts(const KeyReader& keys);  // throws ModelError when the file has experts
// Throws ModelError where positions have sections for pictures (rope.dimension_sections).
void refuse_image_positions(const KeyReader& keys);
// Takes the last layers, where they guess further tokens (nextn_predict_layers), from n_layer; the
// first of them stays in hparams.layers.
void set_nextn_layers_apart(const KeyReader& keys, Hparams& hparams);
// Gives the layers that slide (KeyReader::window_pattern) the window attention.sliding_window, or
// default_window; 0: they see everything after all.
void slide_windows(const KeyReader& keys, Hparams& hparams, int default_period,
                   int default_window = 0);
// Gives the layers that slide a rotation of their own, as hparams.ropes[1].
void rotate_windows(Hparams& hparams, const RopeHparams& rope);
// The same, with all as for the other layers but the base rope.freq_base_swa, where the file has
// that key.
void rebase_windows(const KeyReader& keys, Hparams& hparams);
// The scale of scores by the share of a head in the stream, 1 / sqrt(n_embd / n_head): Gemma's
// largest models (gemma_pytorch, config.py).
float score_scale_by_width(const Hparams& hparams) noexcept;
// Latent attention's scale of q k, and what is left to the magnitude of its rotation.
void scale_latent_scores(Hparams& hparams) noexcept;

// Qwen's layers that are delta nets, or else attention under a gate (Qwen3-Next, Qwen3.5).
void read_qwen_hybrid(const KeyReader& keys, Hparams& hparams);
// And their mixtures: experts whose weights sum to 1, and one that all tokens share, under a gate.
void read_qwen_hybrid_experts(const KeyReader& keys, Hparams& hparams);
// The sizes of delta nets (keys "ssm.") and which layers are such: attention.recurrent_layers, or
// all but every full_attention_interval-th.
void read_delta_net(const KeyReader& keys, Hparams& hparams);

}  // namespace confab::engine
