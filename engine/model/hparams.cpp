// SPDX-License-Identifier: MIT
#include "engine/model/hparams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/gguf/key_reader.h"
#include "engine/gguf/row_order.h"
#include "engine/model/arch/architecture.h"

namespace confab::engine {
namespace {

// Larger than in any existing model, and small enough that products of a few of them do not
// overflow.
constexpr int kMaxContext = 1 << 28;
constexpr int kMaxLayers = 1 << 12;
constexpr int kMaxWidth = 1 << 20;  // n_embd, n_ff
constexpr int kMaxHeads = 1 << 12;
constexpr int kMaxHeadDim = 1 << 12;
constexpr int kMaxVocab = 1 << 24;

const Architecture& read_architecture(const Gguf& gguf) {
  const auto name = gguf.find_string("general.architecture");
  if (!name) gguf.fail("key general.architecture is missing");
  const Architecture* architecture = find_architecture(*name);
  if (architecture == nullptr) {
    gguf.fail(fmt::format("unknown architecture \"{}\"; known: {}", printable(*name),
                          known_architectures()));
  }
  return *architecture;
}

int read_n_vocab(const Gguf& gguf) {
  const GgufTensor* embeddings = gguf.find_tensor("token_embd.weight");
  if (embeddings == nullptr) gguf.fail("tensor token_embd.weight is missing");
  const std::int64_t n = embeddings->shape.size() < 2 ? 0 : embeddings->shape[1];
  if (n < 1 || n > kMaxVocab) {
    gguf.fail(fmt::format("tensor token_embd.weight has {} rows, expected 1 to {}", n, kMaxVocab));
  }
  return static_cast<int>(n);
}

// Without keys for it, the size of a head is n_embd / n_head. If layers differ in n_head, no file
// says which layer that means.
[[noreturn]] void refuse_unknown_heads(const KeyReader& keys, std::size_t il,
                                       const std::vector<int>& n_head) {
  keys.gguf().fail(fmt::format(
      "layer {} has {} heads and layer 0 has {} ({}), so the size of a head must be given by {} "
      "and {}",
      il, n_head[il], n_head[0], keys.key("attention.head_count"), keys.key("attention.key_length"),
      keys.key("attention.value_length")));
}

// In a model with a mixture in every layer, the file may give no other feed-forward width.
std::vector<int> read_n_ff(const KeyReader& keys, int n_layer) {
  if (keys.has("feed_forward_length") || !keys.has("expert_feed_forward_length"))
    return keys.counts("feed_forward_length", n_layer, kMaxWidth);
  return std::vector<int>(static_cast<std::size_t>(n_layer),
                          keys.count("expert_feed_forward_length", kMaxExpertWidth));
}

std::vector<LayerHparams> read_layers(const KeyReader& keys, int n_layer, int n_embd) {
  const std::vector<int> n_head = keys.counts("attention.head_count", n_layer, kMaxHeads);
  const std::vector<int> n_head_kv =
      keys.has("attention.head_count_kv")
          ? keys.counts("attention.head_count_kv", n_layer, kMaxHeads)
          : n_head;
  const std::vector<int> n_ff = read_n_ff(keys, n_layer);
  const bool has_head_dim = keys.has("attention.key_length") && keys.has("attention.value_length");
  std::vector<LayerHparams> layers;
  for (std::size_t il = 0; il < n_head.size(); ++il) {
    if (n_head[il] % n_head_kv[il] != 0) {
      keys.refuse("attention.head_count_kv", std::to_string(n_head_kv[il]),
                  fmt::format("a divisor of the {} heads", n_head[il]));
    }
    if (!has_head_dim && n_embd % n_head[il] != 0) {
      keys.refuse("attention.head_count", std::to_string(n_head[il]),
                  fmt::format("a divisor of the embedding length {}", n_embd));
    }
    if (!has_head_dim && n_head[il] != n_head[0]) refuse_unknown_heads(keys, il, n_head);
    const int head_dim = n_embd / n_head[il];
    layers.push_back({.n_head = n_head[il],
                      .n_head_kv = n_head_kv[il],
                      .head_dim_k = keys.count_or("attention.key_length", kMaxHeadDim, head_dim),
                      .head_dim_v = keys.count_or("attention.value_length", kMaxHeadDim, head_dim),
                      .n_ff = n_ff[il]});
  }
  return layers;
}

// A factor without a type means linear scaling, as in files older than the key. With longrope, the
// divisors of the frequencies do the work.
RopeScaling read_scaling_type(const KeyReader& keys) {
  const std::string key = keys.key("rope.scaling.type");
  const std::string_view type = keys.gguf().find_string(key).value_or("linear");
  if (type == "none") return RopeScaling::none;
  if (type == "linear" || type == "longrope") return RopeScaling::linear;
  if (type == "yarn") return RopeScaling::yarn;
  keys.refuse("rope.scaling.type", fmt::format("\"{}\"", printable(type)),
              "none, linear, yarn or longrope");
}

// The magnitude grows by 0.1 ln(factor) unless the model gives another multiplier.
float read_log_multiplier(const KeyReader& keys) {
  const float multiplier = keys.finite_or("rope.scaling.yarn_log_multiplier", 0);
  if (multiplier < 0) {
    keys.refuse("rope.scaling.yarn_log_multiplier", fmt::format("{}", multiplier), "0 or more");
  }
  return multiplier;
}

RopeHparams read_rope(const KeyReader& keys, int n_ctx_train, int head_dim) {
  RopeHparams rope;
  rope.n_rot = keys.count_or("rope.dimension_count", head_dim, head_dim);
  if (rope.n_rot % 2 != 0) {
    keys.refuse("rope.dimension_count", std::to_string(rope.n_rot), "an even number");
  }
  rope.freq_base = keys.positive_or("rope.freq_base", rope.freq_base);
  rope.n_ctx_orig = keys.count_or("rope.scaling.original_context_length", kMaxContext, n_ctx_train);
  rope.attn_factor = keys.positive_or("rope.scaling.attn_factor", rope.attn_factor);
  rope.scaling = read_scaling_type(keys);
  if (rope.scaling == RopeScaling::none) return rope;
  const float old_factor = keys.positive_or("rope.scale_linear", 1);
  rope.scale_factor = keys.positive_or("rope.scaling.factor", old_factor);
  if (rope.scaling == RopeScaling::linear) return rope;
  if (rope.freq_base <= 1) {
    keys.refuse("rope.freq_base", fmt::format("{}", rope.freq_base), "more than 1 for yarn");
  }
  rope.yarn_ext_factor = keys.positive_or("rope.scaling.yarn_ext_factor", rope.yarn_ext_factor);
  rope.yarn_beta_fast = keys.positive_or("rope.scaling.yarn_beta_fast", rope.yarn_beta_fast);
  rope.yarn_beta_slow = keys.positive_or("rope.scaling.yarn_beta_slow", rope.yarn_beta_slow);
  rope.yarn_log_multiplier = read_log_multiplier(keys);
  rope.yarn_magnitude_scale = yarn_magnitude_scale(rope.yarn_log_multiplier, rope.scale_factor);
  return rope;
}

float read_norm_eps(const KeyReader& keys, NormKind norm) {
  return keys.positive(norm == NormKind::rms ? "attention.layer_norm_rms_epsilon"
                                             : "attention.layer_norm_epsilon");
}

// Each query carries a gate for every value of its head's output, so both must have the same size.
void check_gates(const KeyReader& keys, const Hparams& hp) {
  if (!hp.attn_gate) return;
  for (const LayerHparams& layer : hp.layers) {
    if (layer.recurrent || layer.head_dim_k == layer.head_dim_v) continue;
    keys.refuse("attention.value_length", std::to_string(layer.head_dim_v),
                fmt::format("{} as {}: each value has a gate", layer.head_dim_k,
                            keys.key("attention.key_length")));
  }
}

// Files shrunk by other programs may keep the key but lack the tensors.
bool has_nextn_tensors(const Gguf& gguf, int il) {
  return gguf.find_tensor(fmt::format("blk.{}.nextn.eh_proj.weight", il)) != nullptr;
}

}  // namespace

Hparams Hparams::load(const Gguf& gguf, NextnHead head, const RopeOptions& rope) {
  const Architecture& architecture = read_architecture(gguf);
  const KeyReader keys(gguf, architecture.name);
  if (!keys.flag_or("attention.causal", true)) {
    keys.refuse("attention.causal", "false",
                "true: a model that generates text from left to right");
  }
  Hparams hp;
  hp.architecture = architecture.name;
  hp.n_ctx_train = keys.count("context_length", kMaxContext);
  hp.n_ctx_max = hp.n_ctx_train;
  hp.n_embd = keys.count("embedding_length", kMaxWidth);
  hp.n_layer = keys.count("block_count", kMaxLayers);
  hp.n_vocab = read_n_vocab(gguf);
  hp.layers = read_layers(keys, hp.n_layer, hp.n_embd);
  hp.ropes = {read_rope(keys, hp.n_ctx_train, hp.layers[0].head_dim_k)};
  architecture.specialise(keys, hp);
  for (RopeHparams& one : hp.ropes)
    one.interleaved = keys.flag_or(kInterleavedKey, one.interleaved);
  if (head == NextnHead::left_out || !has_nextn_tensors(gguf, hp.n_layer))
    hp.layers.resize(static_cast<std::size_t>(hp.n_layer));
  check_gates(keys, hp);
  apply_rope_options(gguf, rope, hp);
  hp.norm_eps = read_norm_eps(keys, hp.norm);
  return hp;
}

bool Hparams::has_recurrent_layers() const noexcept {
  return std::ranges::any_of(layers, &LayerHparams::recurrent);
}

float Hparams::score_scale(const LayerHparams& layer) const noexcept {
  return attn_scale > 0 ? attn_scale : 1 / std::sqrt(static_cast<float>(layer.head_dim_k));
}

namespace {

void read_groups(const KeyReader& keys, ExpertHparams& experts) {
  const int n_group = keys.natural_or("expert_group_count", kMaxExperts, 0);
  if (n_group <= 1) return;
  // A group is ranked by its two best experts.
  if (experts.n_expert % n_group != 0 || experts.n_expert / n_group < 2) {
    keys.refuse(
        "expert_group_count", std::to_string(n_group),
        fmt::format("groups of equal size, of 2 or more of the {} experts", experts.n_expert));
  }
  experts.n_group = n_group;
  experts.n_group_used = keys.count("expert_group_used_count", n_group);
  const int n_reachable = experts.n_expert / n_group * experts.n_group_used;
  if (experts.n_expert_used > n_reachable) {
    keys.refuse("expert_group_used_count", std::to_string(experts.n_group_used),
                fmt::format("groups with room for the {} experts used", experts.n_expert_used));
  }
}

}  // namespace

bool has_experts(const KeyReader& keys) {
  return keys.natural_or("expert_count", kMaxExperts, 0) > 0;
}

void read_experts(const KeyReader& keys, Hparams& hparams, DefaultExpertWidth width) {
  ExpertHparams& experts = hparams.experts;
  experts.n_expert = keys.count("expert_count", kMaxExperts);
  experts.n_expert_used = keys.count("expert_used_count", experts.n_expert);
  const int n_ff = hparams.layers.front().n_ff;
  const int share = width == DefaultExpertWidth::whole_layer ? n_ff : n_ff / experts.n_expert_used;
  experts.n_ff = keys.count_or("expert_feed_forward_length", kMaxExpertWidth, std::max(share, 1));
  read_groups(keys, experts);
  for (LayerHparams& layer : hparams.layers) layer.has_experts = true;
}

void read_gated_shared_expert(const KeyReader& keys, Hparams& hparams) {
  hparams.experts.n_ff_shared = keys.count_or("expert_shared_feed_forward_length", kMaxExpertWidth,
                                              hparams.layers.front().n_ff);
  hparams.experts.shared_gate = true;
}

// The numbers are llama.cpp's llama_expert_gating_func_type. Files older than the key count as 0.
void read_expert_weighting(const KeyReader& keys, Hparams& hparams) {
  ExpertHparams& experts = hparams.experts;
  experts.normalise_weights = keys.flag_or("expert_weights_norm", false);
  const float scale = keys.finite_or("expert_weights_scale", 0);
  experts.weights_scale = scale == 0 ? 1 : scale;
  switch (const int gating = keys.natural_or("expert_gating_func", 1 << 16, 0); gating) {
    case 0:
    case 1:
      experts.gating = ExpertGating::softmax;
      break;
    case 2:
      experts.gating = ExpertGating::sigmoid;
      break;
    case 3:
      experts.gating = ExpertGating::softmax_of_chosen;
      break;
    default:
      keys.refuse("expert_gating_func", std::to_string(gating),
                  "1 (softmax), 2 (sigmoid) or 3 (softmax of the chosen)");
  }
}

void read_mixture_after_dense(const KeyReader& keys, Hparams& hp) {
  if (!has_experts(keys)) return;
  read_experts(keys, hp, DefaultExpertWidth::whole_layer);
  read_expert_weighting(keys, hp);
  hp.experts.n_ff_shared = hp.experts.n_ff * keys.natural_or("expert_shared_count", kMaxExperts, 0);
  const int n_dense = keys.natural_or("leading_dense_block_count", hp.n_layer, 0);
  for (int il = 0; il < n_dense; ++il) hp.layers[static_cast<std::size_t>(il)].has_experts = false;
}

}  // namespace confab::engine
