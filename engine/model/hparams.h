// SPDX-License-Identifier: MIT
// The sizes and constants of a model, read from its metadata and checked for sanity.
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

// What makes weights of the router's logits. softmax_of_chosen: the experts with the largest logits
// are chosen, and their logits alone are normalised.
enum class ExpertGating { softmax, sigmoid, softmax_of_chosen };

// The sizes of a mixture of experts, and how a token chooses among them.
struct ExpertHparams {
  int n_expert = 0;       // 0: the model has none
  int n_expert_used = 0;  // chosen by each token
  int n_ff = 0;           // hidden size of one expert
  int n_ff_shared = 0;    // hidden size of all shared experts, which see every token; 0: none
  ExpertGating gating = ExpertGating::softmax;
  // Experts may be chosen from the n_group_used best of n_group groups of neighbours only.
  int n_group = 1;
  int n_group_used = 1;
  bool normalise_weights = false;  // to a sum of 1
  float weights_scale = 1;         // applied last
  bool has_biases = false;         // of router and experts must be there; else they may
  // A plain feed-forward stands beside them. Both, and the router, read the stream under norms of
  // their own, and what they give is normed before it is summed (Gemma 4).
  bool beside_plain = false;
  bool shared_gate = false;  // what the shared experts give is multiplied by sigmoid(gate x)
};

enum class NormKind { rms, layer };
// gelu: by its approximation with tanh; relu2: the square of what is above 0 (Primer,
// arXiv:2109.08668); swiglu_oai: only with a gate.
enum class Activation { silu, gelu, relu2, swiglu_oai };
// What the queries and keys are normed over before they are rotated.
enum class QkNorm { none, head, row };

// One way to rotate queries and keys. Most models have one; some rotate the layers that look back
// at a window in another way than those that see everything.
struct RopeHparams {
  int n_rot = 0;             // entries of a head that are rotated
  int offset = 0;            // of the first of them in a head
  bool interleaved = true;   // pairs (2i, 2i+1) as `llama`; else (i, i + n_rot/2), NEOX
  bool freq_factors = true;  // the divisors that the file has for frequencies apply
  float freq_base = 10000;
  RopeScaling scaling = RopeScaling::none;
  float scale_factor = 1;
  int n_ctx_orig = 0;         // longer contexts take the long divisors; YaRN's ramp
  float attn_factor = 1;      // of the magnitude
  float yarn_ext_factor = 1;  // how much of the extrapolation is mixed in; yarn only, as the rest
  float yarn_beta_fast = 32;
  float yarn_beta_slow = 1;
  float yarn_magnitude_scale = 1;  // by which 0.1 ln(scale_factor) is multiplied
  float yarn_log_multiplier = 0;   // of the file, which makes it; 0: it has none
};

constexpr int kNoRope = -1;

// Layers that remember by a gated delta rule (delta_net_regions.cpp).
struct DeltaNetHparams {
  int d_conv = 0;   // tokens that the convolution sees, 2 to kMaxConv
  int d_state = 0;  // of keys and of values
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
  bool has_experts = false;  // its feed-forward is a mixture of experts
  int window = 0;            // a query sees this many positions, its own the last; 0: all before it
  int rope = 0;              // which of Hparams::ropes, or kNoRope
  bool recurrent = false;    // a delta net instead of attention; heads have no size then
  // An earlier layer of the same shape whose keys and values it uses; -1: it has its own.
  int kv_layer = -1;
};

// The blocks after the layers that guess the token after the next (key nextn_predict_layers; as in
// DeepSeek-V3, arXiv:2412.19437, section 2.2): the first of them, where the file has it, or none.
enum class NextnHead { left_out, kept };

// Latent attention: the cache keeps a latent a token, of which keys and values of all heads are
// made, and a rotated part of the key. Layers have the sizes of the cache: one KV head, head_dim_k
// = kv_rank + n_rot, head_dim_v = kv_rank.
struct LatentHparams {
  int kv_rank = 0;        // 0: the model has none of this
  int q_rank = 0;         // queries are made of a latent too; 0: not
  int head_dim_nope = 0;  // of a head's keys as the model has them, without the rotated part
  int head_dim_v = 0;     // of a head's values as the model has them
};

struct Hparams {
  std::string architecture;
  int n_ctx_train = 0;
  int n_ctx_max = 0;  // n_ctx_train, or what RopeOptions reach
  int n_embd = 0;
  int n_layer = 0;
  int n_vocab = 0;  // rows of the output matrix
  // [n_layer], and one more where the model has a head that guesses further tokens: its block.
  std::vector<LayerHparams> layers;
  std::vector<RopeHparams> ropes;
  LatentHparams latent;

  NormKind norm = NormKind::rms;
  float norm_eps = 0;
  bool has_norm_bias = false;  // biases of the stream's norms must be there; else they may
  Activation activation = Activation::silu;
  bool has_ffn_gate = true;  // hidden = activation(gate x) * (up x); else activation(up x)
  ExpertHparams experts;
  QkNorm qk_norm = QkNorm::none;
  bool v_norm = false;              // values are normed too, without weights
  bool keys_may_be_values = false;  // a layer without attn_v uses what attn_k gives
  bool has_qkv_bias = false;        // biases of q, k and v must be there; other biases always may
  bool pre_norms = true;            // the inputs of attention and feed-forward are normed
  bool post_norms = false;          // so are their outputs, before they are added to the stream
  bool parallel = false;            // both read the stream as the layer got it, under norms of
                                    // their own where the file has two
  bool attn_sinks = false;
  bool fused_gate_up = false;  // ffn_up holds the rows of the gate, then its own
  std::string_view ffn_norm_name = "ffn_norm";

  float embedding_scale = 1;  // x = embedding * this
  float residual_scale = 1;   // x += output of attention or feed-forward * this
  float attn_scale = 0;       // of q k; 0: 1 / sqrt(head_dim_k)
  float attn_softcap = 0;     // score = cap tanh(score / cap); 0: none, so below
  float logit_scale = 1;
  float logit_softcap = 0;
  bool attn_gate = false;  // attn_q gives each head's query, then a gate of its output
  DeltaNetHparams delta_net;
  int n_embd_per_layer = 0;  // width of what each token gives to each layer directly; 0: nothing
  // Queries at position p are multiplied by 1 + scale ln(1 + floor(p / length)); 0: not.
  float attn_temperature_scale = 0;
  int attn_temperature_length = 1;

  // Throws ModelError for an unknown architecture (with the list of known ones), a missing key or a
  // value that makes no sense.
  static Hparams load(const Gguf& gguf, NextnHead head = NextnHead::left_out,
                      const RopeOptions& rope = {});

  bool has_recurrent_layers() const noexcept;
  bool has_nextn_head() const noexcept { return layers.size() > static_cast<std::size_t>(n_layer); }
  float score_scale(const LayerHparams& layer) const noexcept;
};

// How wide an expert is without a key for it: as the feed-forward of the layer, or so that all that
// a token uses are together.
enum class DefaultExpertWidth { whole_layer, share_of_layer };

// Those below throw ModelError when a key is missing or a value makes no sense.

// Whether the file has experts, where an architecture has models with and without.
bool has_experts(const KeyReader& keys);
// Reads the counts of experts, their groups and their width into hparams.experts, and makes
// mixtures of all layers.
void read_experts(const KeyReader& keys, Hparams& hparams, DefaultExpertWidth width);
// Reads how weights are made, for architectures in which models differ in that.
void read_expert_weighting(const KeyReader& keys, Hparams& hparams);
// All of these, where the file has experts: after some leading layers without, and beside shared
// ones that each token uses.
void read_mixture_after_dense(const KeyReader& keys, Hparams& hparams);
// Reads the width of the shared expert that the token turns up and down (Qwen's).
void read_gated_shared_expert(const KeyReader& keys, Hparams& hparams);

}  // namespace confab::engine
