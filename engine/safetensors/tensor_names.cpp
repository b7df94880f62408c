// SPDX-License-Identifier: MIT
#include "engine/safetensors/tensor_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "engine/gguf/row_order.h"

namespace confab::engine {
namespace {

using Names = std::span<const std::pair<std::string_view, std::string_view>>;

constexpr std::pair<std::string_view, std::string_view> kOfModel[] = {
    {"model.embed_tokens", "token_embd"}, {"model.norm", "output_norm"}, {"lm_head", "output"}};
constexpr std::pair<std::string_view, std::string_view> kOfLayer[] = {
    {"input_layernorm", "attn_norm"},
    {"pre_feedforward_layernorm", "ffn_norm"},
    {"post_feedforward_layernorm", "post_ffw_norm"},
    {"post_self_attn_layernorm", "post_attention_norm"},  // GLM-4
    {"post_mlp_layernorm", "post_ffw_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"self_attn.qkv_proj", "attn_qkv"},
    {"self_attn.q_norm", "attn_q_norm"},
    {"self_attn.k_norm", "attn_k_norm"},
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.down_proj", "ffn_down"},
    {"mlp.gate_up_proj", "ffn_up"},  // the gate's rows first, as GGUF has them
    {"mlp.c_fc", "ffn_up"},          // StarCoder 2
    {"mlp.c_proj", "ffn_down"},
    {"mlp.shared_expert.gate_proj", "ffn_gate_shexp"},
    {"mlp.shared_expert.up_proj", "ffn_up_shexp"},
    {"mlp.shared_expert.down_proj", "ffn_down_shexp"},
    {"mlp.shared_expert_gate", "ffn_gate_inp_shexp"},
    {"mlp.shared_experts.gate_proj", "ffn_gate_shexp"},  // DeepSeek's
    {"mlp.shared_experts.up_proj", "ffn_up_shexp"},
    {"mlp.shared_experts.down_proj", "ffn_down_shexp"},
    {"self_attn.q_a_proj", "attn_q_a"},
    {"self_attn.q_a_layernorm", "attn_q_a_norm"},
    {"self_attn.q_b_proj", "attn_q_b"},
    {"self_attn.kv_a_proj_with_mqa", "attn_kv_a_mqa"},
    {"self_attn.kv_a_layernorm", "attn_kv_a_norm"},
    {"self_attn.kv_b_proj", "attn_kv_b"},
    {"linear_attn.in_proj_qkvz", "ssm_in"},  // Qwen3-Next
    {"linear_attn.in_proj_ba", "ssm_ba"},
    {"linear_attn.in_proj_qkv", "attn_qkv"},  // Qwen3.5
    {"linear_attn.in_proj_z", "attn_gate"},
    {"linear_attn.in_proj_b", "ssm_beta"},
    {"linear_attn.in_proj_a", "ssm_alpha"},
    {"linear_attn.conv1d", "ssm_conv1d"},
    {"linear_attn.norm", "ssm_norm"},
    {"linear_attn.out_proj", "ssm_out"},
    {"mlp.gate", "ffn_gate_inp"},
    {"mlp.router", "ffn_gate_inp"},                 // gpt-oss
    {"mlp.switch_mlp.gate_proj", "ffn_gate_exps"},  // MLX's, of all experts
    {"mlp.switch_mlp.up_proj", "ffn_up_exps"},
    {"mlp.switch_mlp.down_proj", "ffn_down_exps"},
    {"block_sparse_moe.switch_mlp.gate_proj", "ffn_gate_exps"},
    {"block_sparse_moe.switch_mlp.up_proj", "ffn_up_exps"},
    {"block_sparse_moe.switch_mlp.down_proj", "ffn_down_exps"},
    {"block_sparse_moe.gate", "ffn_gate_inp"}};
constexpr std::pair<std::string_view, std::string_view> kOfExpert[] = {
    {"gate_proj", "ffn_gate"}, {"up_proj", "ffn_up"}, {"down_proj", "ffn_down"},
    {"w1", "ffn_gate"},        {"w3", "ffn_up"},      {"w2", "ffn_down"}};
// Tensors without an ending. Experts: all of a layer, [n_expert, rows, columns].
constexpr std::pair<std::string_view, std::string_view> kWhole[] = {
    {"mlp.experts.gate_up_proj", "ffn_gate_up_exps.weight"},
    {"mlp.experts.down_proj", "ffn_down_exps.weight"},
    {"mlp.gate.e_score_correction_bias", "exp_probs_b.bias"},
    {"self_attn.sinks", "attn_sinks.weight"},  // gpt-oss
    {"mlp.experts.gate_up_proj_blocks", kGateUpPairs},
    {"mlp.experts.gate_up_proj_bias", kGateUpPairBiases},
    {"mlp.experts.down_proj_blocks", "ffn_down_exps.weight"},
    {"mlp.experts.down_proj_bias", "ffn_down_exps.bias"},
    {"linear_attn.A_log", "ssm_a"},
    {"linear_attn.dt_bias", "ssm_dt.bias"}};
// Pictures, and layers that guess further tokens.
constexpr std::string_view kLeftOut[] = {"vision_tower.",
                                         "multi_modal_projector.",
                                         "model.vision_tower.",
                                         "model.multi_modal_projector.",
                                         "visual.",
                                         "model.visual.",
                                         "mtp.",
                                         "model.mtp."};

std::string_view find(Names names, std::string_view name) noexcept {
  const auto found = std::ranges::find(names, name, [](const auto& pair) { return pair.first; });
  return found == names.end() ? std::string_view() : found->second;
}

// "12.rest": 12, and `text` becomes "rest"; -1: it does not begin with a number.
int take_number(std::string_view& text) noexcept {
  int number = -1;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || number < 0 || after == end || *after != '.') return -1;
  text.remove_prefix(static_cast<std::size_t>(after - text.data()) + 1);
  return number;
}

// Without "experts.": "3.gate_proj".
std::string expert_name(int il, std::string_view rest, std::string_view ending) {
  const int expert = take_number(rest);
  const std::string_view name = find(kOfExpert, rest);
  if (expert < 0 || name.empty()) return {};
  return fmt::format("blk.{}.{}.{}{}", il, name, expert, ending);
}

std::string layer_name(int il, std::string_view rest, std::string_view ending, bool post_norms) {
  if (rest == "post_attention_layernorm" && !ending.empty()) {
    return fmt::format("blk.{}.{}{}", il, post_norms ? "post_attention_norm" : "ffn_norm", ending);
  }
  if (ending.empty()) {
    const std::string_view name = find(kWhole, rest);
    return name.empty() ? std::string() : fmt::format("blk.{}.{}", il, name);
  }
  for (const std::string_view experts : {"mlp.experts.", "block_sparse_moe.experts."})
    if (rest.starts_with(experts)) return expert_name(il, rest.substr(experts.size()), ending);
  const std::string_view name = find(kOfLayer, rest);
  return name.empty() ? std::string() : fmt::format("blk.{}.{}{}", il, name, ending);
}

// What sees images too has the names of its language model behind a word.
std::string without_modality(std::string_view name) {
  constexpr std::string_view kText = "language_model.", kModelText = "model.language_model.";
  if (name.starts_with(kText)) return std::string(name.substr(kText.size()));
  if (!name.starts_with(kModelText)) return std::string(name);
  return fmt::format("model.{}", name.substr(kModelText.size()));
}

}  // namespace

std::optional<std::string> gguf_name(std::string_view name, const ModelConfig& config) {
  const std::string whole = without_modality(name);
  if (std::ranges::any_of(kLeftOut, [&](auto prefix) { return whole.starts_with(prefix); }) ||
      whole.ends_with("rotary_emb.inv_freq") || (config.tied && whole == "lm_head.weight")) {
    return std::string();
  }
  std::string_view rest = whole, ending;
  for (const std::string_view one : {".weight", ".bias"}) {
    if (!rest.ends_with(one)) continue;
    ending = one;
    rest.remove_suffix(one.size());
  }
  constexpr std::string_view kLayers = "model.layers.";
  std::string found;
  if (rest.starts_with(kLayers)) {
    rest.remove_prefix(kLayers.size());
    const int il = take_number(rest);
    if (il >= config.n_layer) return std::string();
    if (il >= 0) found = layer_name(il, rest, ending, config.family->post_norms);
  } else if (const std::string_view known = find(kOfModel, rest);
             !known.empty() && !ending.empty()) {
    found = fmt::format("{}{}", known, ending);
  }
  return found.empty() ? std::nullopt : std::optional(std::move(found));
}

}  // namespace confab::engine
