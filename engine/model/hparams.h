// SPDX-License-Identifier: MIT
// The sizes and constants of a model, read from its metadata and checked for plausibility.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/rope_options.h"

namespace confab::engine {

class Gguf;
class KeyReader;

constexpr int kMaxExperts = 1024;
constexpr int kMaxExpertWidth = 1 << 20;

// How the router's logits become weights. softmax_of_chosen picks the experts with the largest
// logits and then normalises only their logits.
enum class ExpertGating { softmax, sigmoid, softmax_of_chosen };

// The sizes of a mixture of experts and how a token chooses among them.
struct ExpertHparams {
  int n_expert = 0;       // 0: the model has no experts
  int n_expert_used = 0;  // experts chosen per token
  int n_ff = 0;           // hidden size of one expert
  int n_ff_shared = 0;    // hidden size of all shared experts, which see every token; 0: none
  ExpertGating gating = ExpertGating::softmax;
  // A token may choose only experts in the n_group_used best of n_group groups of adjacent experts.
  int n_group = 1;
  int n_group_used = 1;
  bool normalise_weights = false;  // scaled so that they sum to 1
  float weights_scale = 1;         // applied last
  bool has_biases = false;  // router and experts must have biases; otherwise biases are optional
  // A dense feed-forward runs beside the experts. It, the experts and the router each read the
  // stream under a separate norm, and each output is normed before the two are summed (Gemma 4).
  bool beside_plain = false;
  bool shared_gate = false;  // the output of the shared experts is multiplied by sigmoid(gate x)
};

enum class NormKind { rms, layer };
// gelu is the tanh approximation. relu2 is the square of max(x, 0) (Primer, arXiv:2109.08668).
// swiglu_oai exists only with a gate.
enum class Activation { silu, gelu, relu2, swiglu_oai };
// How far the norm of queries and keys extends before they are rotated: none, per head, or over the
// whole row.
enum class QkNorm { none, head, row };

// One way to rotate queries and keys. Most models have one. Some rotate the layers with a sliding
// window differently from the layers that see the whole context.
struct RopeHparams {
  int n_rot = 0;             // rotated entries per head
  int offset = 0;            // of the first rotated entry within a head
  bool interleaved = true;   // pairs (2i, 2i+1) as in `llama`; otherwise (i, i + n_rot/2), NEOX
  bool freq_factors = true;  // the frequency divisors in the file apply
  float freq_base = 10000;
  RopeScaling scaling = RopeScaling::none;
  float scale_factor = 1;
  int n_ctx_orig = 0;         // longer contexts use the long divisors; also the base of YaRN's ramp
  float attn_factor = 1;      // scales the magnitude
  float yarn_ext_factor = 1;  // weight of extrapolated angles; from here on for yarn only
  float yarn_beta_fast = 32;
  float yarn_beta_slow = 1;
  float yarn_magnitude_scale = 1;  // multiplies 0.1 ln(scale_factor)
  float yarn_log_multiplier = 0;   // from the file; determines yarn_magnitude_scale. 0: absent
};

constexpr int kNoRope = -1;

// Layers whose memory is a gated delta rule (delta_net_regions.cpp).
struct DeltaNetHparams {
  int d_conv = 0;   // tokens that the convolution sees, 2 to kMaxConv
  int d_state = 0;  // width of keys and of values
  int n_k_heads = 0;
  int n_v_heads = 0;   // a multiple of n_k_heads
  bool tiled = false;  // value head h uses key head h % n_k_heads, else h / (n_v_heads / n_k_heads)

  int n_channels() const noexcept { return (2 * n_k_heads + n_v_heads) * d_state; }
};

constexpr int kMaxConv = 8;

struct LayerHparams {
  int n_head = 0;
  int n_head_kv = 0;
  int head_dim_k = 0;
  int head_dim_v = 0;
  int n_ff = 0;
  bool has_experts = false;  // the feed-forward is a mixture of experts
  int window = 0;  // a query sees this many positions, including its own; 0: all earlier positions
  int rope = 0;    // index into Hparams::ropes, or kNoRope
  bool recurrent = false;  // a delta net instead of attention; head sizes are then unused
  // An earlier layer of the same shape whose keys and values this layer uses; -1: it has its own.
  int kv_layer = -1;
};

// Whether to load the first of the blocks that follow the layers and predict the token after the
// next (key nextn_predict_layers; as in DeepSeek-V3, arXiv:2412.19437, section 2.2), if the file
// has it.
enum class NextnHead { left_out, kept };

// Latent attention. For each token the cache keeps a latent, from which the keys and values of all
// heads are computed, and a rotated part of the key. LayerHparams then holds the sizes of the
// cache: one KV head, head_dim_k = kv_rank + n_rot, head_dim_v = kv_rank.
struct LatentHparams {
  int kv_rank = 0;        // 0: the model does not use latent attention
  int q_rank = 0;         // rank of the queries' latent; 0: queries are computed directly
  int head_dim_nope = 0;  // size of a head's keys in the model, without the rotated part
  int head_dim_v = 0;     // size of a head's values in the model
};

struct Hparams {
  std::string architecture;
  int n_ctx_train = 0;
  int n_ctx_max = 0;  // n_ctx_train, or the length that RopeOptions allow
  int n_embd = 0;
  int n_layer = 0;
  int n_vocab = 0;  // rows of the output matrix
  // [n_layer], plus one for the block that predicts further tokens if the model has one.
  std::vector<LayerHparams> layers;
  std::vector<RopeHparams> ropes;
  LatentHparams latent;

  NormKind norm = NormKind::rms;
  float norm_eps = 0;
  bool has_norm_bias = false;  // the stream's norms must have biases; otherwise optional
  Activation activation = Activation::silu;
  bool has_ffn_gate = true;  // hidden = activation(gate x) * (up x); else activation(up x)
  ExpertHparams experts;
  QkNorm qk_norm = QkNorm::none;
  bool v_norm = false;              // values are normed too, without weights
  bool keys_may_be_values = false;  // a layer without attn_v uses the output of attn_k
  bool has_qkv_bias = false;        // q, k and v must have biases; all other biases are optional
  bool pre_norms = true;            // the inputs of attention and feed-forward are normed
  bool post_norms = false;          // their outputs are normed before they are added to the stream
  bool parallel = false;  // both read the stream as received, with separate norms if there are two
  bool attn_sinks = false;
  bool fused_gate_up = false;  // ffn_up holds the rows of the gate, then its own
  std::string_view ffn_norm_name = "ffn_norm";

  float embedding_scale = 1;  // x = embedding * this
  float residual_scale = 1;   // x += output of attention or feed-forward * this
  float attn_scale = 0;       // multiplies q k; 0: 1 / sqrt(head_dim_k)
  float attn_softcap = 0;  // score = cap tanh(score / cap); 0: no cap. The same for logit_softcap
  float logit_scale = 1;
  float logit_softcap = 0;
  bool attn_gate = false;  // attn_q gives each head's query, then the gate of that head's output
  DeltaNetHparams delta_net;
  int n_embd_per_layer = 0;  // width of the input from each token to each layer; 0: none
  // Queries at position p are multiplied by 1 + scale ln(1 + floor(p / length)); 0: they are not.
  float attn_temperature_scale = 0;
  int attn_temperature_length = 1;

  // Throws ModelError if the architecture is unknown (the message lists the known ones), a key is
  // missing or a value makes no sense.
  static Hparams load(const Gguf& gguf, NextnHead head = NextnHead::left_out,
                      const RopeOptions& rope = {});

  bool has_recurrent_layers() const noexcept;
  bool has_nextn_head() const noexcept { return layers.size() > static_cast<std::size_t>(n_layer); }
  float score_scale(const LayerHparams& layer) const noexcept;
};

// The width of an expert if the file has no key for it: the layer's feed-forward width, or that
// width divided by the number of experts a token uses.
enum class DefaultExpertWidth { whole_layer, share_of_layer };

// The functions below throw ModelError if a key is missing or a value makes no sense.

// Returns true if this file has experts; some architectures come both ways.
bool has_experts(const KeyReader& keys);
// Reads the expert counts, their groups and their width into hparams.experts, and marks every layer
// as a mixture.
void read_experts(const KeyReader& keys, Hparams& hparams, DefaultExpertWidth width);
// Reads how the weights are computed, for architectures whose models differ in that.
void read_expert_weighting(const KeyReader& keys, Hparams& hparams);
// Calls read_experts() and read_expert_weighting() if the file has experts. For models whose first
// layers are dense and whose shared experts see every token.
void read_mixture_after_dense(const KeyReader& keys, Hparams& hparams);
// Reads the width of the shared expert, whose output a gate scales for each token (Qwen).
void read_gated_shared_expert(const KeyReader& keys, Hparams& hparams);

}  // namespace confab::engine
