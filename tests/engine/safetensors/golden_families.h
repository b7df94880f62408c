// SPDX-License-Identifier: MIT
// Families of models whose folders are made of golden models: what config.json says of them, how
// their tensors are called, and what of these is otherwise than in the GGUF file.
#pragma once

#include <functional>
#include <string>

#include "tests/engine/safetensors/golden_folder.h"

namespace confab::engine {
namespace golden {

using nlohmann::json;

struct Family {
  std::string golden;
  json config;
  TensorNames names = {};
  std::function<void(FolderTensors&)> undo = {};
  std::string form = {};  // where there are several of one class
};

inline json common(const char* of, int n_layer, int n_ff, double theta) {
  return {
      {"architectures", {of}},          {"hidden_size", 32},        {"num_hidden_layers", n_layer},
      {"num_attention_heads", 4},       {"num_key_value_heads", 2}, {"intermediate_size", n_ff},
      {"max_position_embeddings", 512}, {"rms_norm_eps", 1e-6},     {"rope_theta", theta}};
}

inline json with(json config, const json& more) {
  config.update(more);
  return config;
}

template <typename F>
void for_each_block(int n, F f) {
  for (int il = 0; il < n; ++il) f("blk." + std::to_string(il) + ".");
}

inline const TensorNames kLatentNames = {{"attn_q_a_norm", "self_attn.q_a_layernorm"},
                                         {"attn_q_a", "self_attn.q_a_proj"},
                                         {"attn_q_b", "self_attn.q_b_proj"},
                                         {"attn_kv_a_norm", "self_attn.kv_a_layernorm"},
                                         {"attn_kv_a_mqa", "self_attn.kv_a_proj_with_mqa"},
                                         {"attn_kv_b", "self_attn.kv_b_proj"},
                                         {"exp_probs_b.bias", "mlp.gate.e_score_correction_bias"},
                                         {"ffn_gate_shexp", "mlp.shared_experts.gate_proj"},
                                         {"ffn_up_shexp", "mlp.shared_experts.up_proj"},
                                         {"ffn_down_shexp", "mlp.shared_experts.down_proj"}};
inline const TensorNames kDeltaNetNames = {{"ssm_in", "linear_attn.in_proj_qkvz"},
                                           {"ssm_ba", "linear_attn.in_proj_ba"},
                                           {"attn_qkv", "linear_attn.in_proj_qkv"},
                                           {"attn_gate", "linear_attn.in_proj_z"},
                                           {"ssm_beta", "linear_attn.in_proj_b"},
                                           {"ssm_alpha", "linear_attn.in_proj_a"},
                                           {"ssm_conv1d", "linear_attn.conv1d"},
                                           {"ssm_dt.bias", "linear_attn.dt_bias"},
                                           {"ssm_a", "linear_attn.A_log"},
                                           {"ssm_norm", "linear_attn.norm"},
                                           {"ssm_out", "linear_attn.out_proj"},
                                           {"ffn_gate_inp_shexp", "mlp.shared_expert_gate"},
                                           {"ffn_gate_shexp", "mlp.shared_expert.gate_proj"},
                                           {"ffn_up_shexp", "mlp.shared_expert.up_proj"},
                                           {"ffn_down_shexp", "mlp.shared_expert.down_proj"}};

inline json yarn(double factor, int n_ctx, const json& more) {
  return with({{"type", "yarn"}, {"factor", factor}, {"original_max_position_embeddings", n_ctx}},
              more);
}

inline Family deepseek(const char* of, const char* golden, int n_embd_v, const json& more) {
  const json sizes = {
      {"kv_lora_rank", 16},         {"q_lora_rank", 12},        {"qk_rope_head_dim", 4},
      {"qk_nope_head_dim", 8},      {"v_head_dim", n_embd_v},   {"n_routed_experts", 6},
      {"n_shared_experts", 1},      {"num_experts_per_tok", 2}, {"first_k_dense_replace", 1},
      {"moe_intermediate_size", 8}, {"moe_layer_freq", 1},      {"num_key_value_heads", 4}};
  return {golden, with(with(common(of, 3, 24, 10000), sizes), more), kLatentNames,
          [](FolderTensors& tensors) {
            for_each_block(3, [&](const std::string& b) { join_latent(tensors, b); });
            take_experts_apart(tensors);
            // A layer that guesses the next token but one.
            tensors["blk.3.attn_q_a.weight"] = tensors.at("blk.0.attn_q_a.weight");
          }};
}

inline Family deepseek_v3() {
  return deepseek("DeepseekV3ForCausalLM", "deepseek2-v3", 6,
                  {{"n_group", 3},
                   {"topk_group", 2},
                   {"topk_method", "noaux_tc"},
                   {"scoring_func", "sigmoid"},
                   {"norm_topk_prob", true},
                   {"routed_scaling_factor", 2.5},
                   {"rope_scaling", yarn(8, 16, {{"mscale", 1.0}, {"mscale_all_dim", 1.0}})}});
}

inline Family deepseek_v2() {
  return deepseek("DeepseekV2ForCausalLM", "deepseek2-v2", 8,
                  {{"n_group", 1},
                   {"topk_method", "greedy"},
                   {"scoring_func", "softmax"},
                   {"norm_topk_prob", false},
                   {"routed_scaling_factor", 1.7},
                   {"rope_scaling", yarn(4, 16, {{"mscale", 0.707}, {"mscale_all_dim", 0.707}})}});
}

// GLM-4.7-Flash: DeepSeek-V3's layers, without groups of experts and without YaRN.
inline Family glm4_moe_lite() {
  return deepseek("Glm4MoeLiteForCausalLM", "deepseek2-v3", 6,
                  {{"n_group", 1},
                   {"topk_group", 1},
                   {"topk_method", "noaux_tc"},
                   {"norm_topk_prob", true},
                   {"num_nextn_predict_layers", 1},
                   {"partial_rotary_factor", 1.0},
                   {"rope_interleave", true},
                   {"routed_scaling_factor", 1.8}});
}

inline constexpr DeltaNetSizes kNet{2, 4, 8};
inline const json kNetSizes = {{"linear_num_key_heads", 2},
                               {"linear_num_value_heads", 4},
                               {"linear_key_head_dim", 8},
                               {"linear_value_head_dim", 8},
                               {"linear_conv_kernel_dim", 4},
                               {"full_attention_interval", 2},
                               {"head_dim", 16},
                               {"partial_rotary_factor", 0.5}};

inline Family qwen3next() {
  return {"qwen3next",
          with(with(common("Qwen3NextForCausalLM", 3, 24, 1e6), kNetSizes),
               {{"num_experts", 4},
                {"num_experts_per_tok", 2},
                {"moe_intermediate_size", 8},
                {"shared_expert_intermediate_size", 8},
                {"norm_topk_prob", true}}),
          kDeltaNetNames, [](FolderTensors& tensors) {
            for_each_block(3, [&](const std::string& b) { group_by_key_head(tensors, b, kNet); });
            for (auto& [name, tensor] : tensors) undo_values(name, tensor);
            for_each_block(3, [&](const std::string& b) {
              auto& gate = tensors.at(b + "ffn_gate_inp_shexp.weight");
              gate.shape = {1, gate.shape[0]};
            });
            take_experts_apart(tensors);
          }};
}

// What sees images, too: its language model has a configuration of its own.
inline Family qwen35() {
  json text = with(common("", 3, 24, 1e6), kNetSizes);
  text.erase("architectures");
  text.erase("rope_theta");
  text.erase("partial_rotary_factor");
  text["layer_types"] = {"linear_attention", "full_attention", "linear_attention"};
  text["rope_parameters"] = {{"rope_type", "default"},
                             {"rope_theta", 1e6},
                             {"partial_rotary_factor", 0.5},
                             {"mrope_section", {2, 1, 1}}};
  return {
      "qwen35",
      {{"architectures", {"Qwen3_5ForConditionalGeneration"}}, {"text_config", text}},
      kDeltaNetNames,
      [](FolderTensors& tensors) {
        for_each_block(3, [&](const std::string& b) { order_by_key_head(tensors, b, kNet); });
        for (auto& [name, tensor] : tensors) undo_values(name, tensor);
        tensors["mtp.fc.weight"] = tensors["model.visual.merger.weight"] = {{2, 2}, {1, 2, 3, 4}};
      }};
}

// As MLX has it once it is converted: norms are whole, and taps stand before their one channel.
inline Family qwen3next_of_mlx() {
  Family family = qwen3next();
  family.form = "OfMlx";
  family.undo = [undo = family.undo](FolderTensors& tensors) {
    undo(tensors);
    for (auto& [name, tensor] : tensors) {
      if (name.ends_with("norm.weight") && !name.ends_with("ssm_norm.weight"))
        for (float& value : tensor.values) value += 1;
      if (name.ends_with("ssm_conv1d.weight")) std::swap(tensor.shape[1], tensor.shape[2]);
    }
  };
  return family;
}

// Weights of Qwen3-Next under other names: value heads stand by their key heads in both.
inline Family qwen35moe() {
  Family family = qwen3next();
  family.config["architectures"] = {"Qwen3_5MoeForCausalLM"};
  family.config.erase("intermediate_size");
  family.undo = [](FolderTensors& tensors) {
    for_each_block(3, [&](const std::string& b) {
      take_gates_apart(tensors, b, kNet);
      join_gate_and_up(tensors, b);
      auto& gate = tensors.at(b + "ffn_gate_inp_shexp.weight");
      gate.shape = {1, gate.shape[0]};
    });
    for (auto& [name, tensor] : tensors) undo_values(name, tensor);
  };
  return family;
}

inline Family olmo3() {
  return {"olmo3",
          with(common("Olmo3ForCausalLM", 4, 32, 500000),
               {{"sliding_window", 16},
                {"layer_types",
                 {"sliding_attention", "sliding_attention", "sliding_attention", "full_attention"}},
                {"rope_scaling", yarn(8, 16,
                                      {{"attention_factor", 1.2079441541679836},
                                       {"beta_fast", 32},
                                       {"beta_slow", 1}})}}),
          {},
          {}};
}

// The folder's tensors as a model of the class has them.
inline void write_family(const TempDir& folder, const Family& family) {
  FolderTensors tensors = tensors_of(Gguf(golden_case(family.golden).model()));
  if (family.undo) family.undo(tensors);
  write_golden_folder(folder, family.config, tensors, family.names);
}

}  // namespace golden
}  // namespace confab::engine
