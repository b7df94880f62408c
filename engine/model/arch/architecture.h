// SPDX-License-Identifier: MIT
// How an architecture differs from the common decoder. To add one, add a file here that defines its
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
  // Called after the common keys have been read. Sets what differs, and throws ModelError if the
  // file asks for something that the decoder cannot do.
  void (*specialise)(const KeyReader& keys, Hparams& hparams);
};

#define CONFAB_ARCHITECTURE(architecture) extern const Architecture architecture;
#include "engine/model/arch/registry.def"
#undef CONFAB_ARCHITECTURE

const Architecture* find_architecture(std::string_view name) noexcept;  // nullptr: unknown
std::string known_architectures();                                      // "command-r, gemma2, ..."

// The rest is shared by several architectures.
void refuse_experts(const KeyReader& keys);  // throws ModelError if the file has experts
// Throws ModelError if positions have sections for images (rope.dimension_sections).
void refuse_image_positions(const KeyReader& keys);
// Removes the last layers from n_layer if they predict further tokens (nextn_predict_layers). The
// first of them stays in hparams.layers.
void set_nextn_layers_apart(const KeyReader& keys, Hparams& hparams);
// Gives the layers with a sliding window (KeyReader::window_pattern) the window
// attention.sliding_window, or default_window if the key is missing. 0: they see the whole context.
void slide_windows(const KeyReader& keys, Hparams& hparams, int default_period,
                   int default_window = 0);
// Gives the layers with a sliding window a separate rotation, hparams.ropes[1].
void rotate_windows(Hparams& hparams, const RopeHparams& rope);
// The same if the file has rope.freq_base_swa: the rotation of the other layers with this base.
void rebase_windows(const KeyReader& keys, Hparams& hparams);
// The scale of scores by a head's share of the stream, 1 / sqrt(n_embd / n_head), as in Gemma's
// largest models (gemma_pytorch, config.py).
float score_scale_by_width(const Hparams& hparams) noexcept;
// Sets the scale of q k in latent attention, and how much of YaRN's growth is left to the rotation.
void scale_latent_scores(Hparams& hparams) noexcept;

// Reads Qwen's hybrid layers: delta nets, or attention with a gate (Qwen3-Next, Qwen3.5).
void read_qwen_hybrid(const KeyReader& keys, Hparams& hparams);
// Reads their mixtures: experts whose weights sum to 1, and a gated expert that all tokens share.
void read_qwen_hybrid_experts(const KeyReader& keys, Hparams& hparams);
// Reads the sizes of delta nets (keys "ssm.") and which layers are delta nets:
// attention.recurrent_layers, or all but every full_attention_interval-th.
void read_delta_net(const KeyReader& keys, Hparams& hparams);

}  // namespace confab::engine
