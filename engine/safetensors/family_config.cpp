// SPDX-License-Identifier: MIT
#include "engine/safetensors/family_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/gguf/row_order.h"

namespace confab::engine {
namespace {

constexpr double kSwigluLimit = 7;  // of gpt-oss's gates and ups

// A list of what layers are, if there is one, says this of every fourth and of no other.
void expect_full_layers(const JsonFields& config, std::string_view list, const Json& value,
                        std::string_view what) {
  const Json* layers = config.find(list);
  if (layers == nullptr) return;
  bool fits = layers->is_array();
  for (std::size_t il = 0; fits && il < layers->size(); ++il)
    fits = (layers->elements()[il] == value) == (il % 4 == 3);
  if (!fits) {
    config.fail(
        fmt::format("\"{}\" has other {} than every fourth, which is not supported", list, what));
  }
}

// 1 for each layer of this kind, else 0. Empty if there is no such list.
std::vector<std::int32_t> layers_of_type(const JsonFields& config, std::string_view type) {
  const Json* layers = config.find("layer_types");
  if (layers == nullptr) return {};
  const std::uint32_t n_layer = config.count("num_hidden_layers");
  if (!layers->is_array() || layers->size() != n_layer)
    config.fail(fmt::format("\"layer_types\" is not a list of {} layers", n_layer));
  std::vector<std::int32_t> are;
  for (const Json& layer : layers->elements()) are.push_back(layer == Json(type) ? 1 : 0);
  return are;
}

void add_gemma(const ConfigKeys& to) {
  to.copy_number("attn_logit_softcapping", "attn_logit_softcapping");
  to.copy_number("final_logit_softcapping", "final_logit_softcapping");
  if (to.config().find_int("sliding_window_pattern").value_or(0) != 1)
    to.copy_count("sliding_window", "attention.sliding_window");
}

void add_granite(const ConfigKeys& to) {
  to.copy_number("attention_multiplier", "attention.scale");
  to.copy_number("embedding_multiplier", "embedding_scale");
  to.copy_number("residual_multiplier", "residual_scale");
  to.copy_number("logits_scaling", "logit_scale");
}

// Three layers of four with a window, the fourth without one and without rotation.
void add_cohere2(const ConfigKeys& to) {
  const JsonFields& config = to.config();
  if (!config.find_number("logit_scale")) config.fail("\"logit_scale\" is missing");
  to.copy_number("logit_scale", "logit_scale");
  to.copy_count("sliding_window", "attention.sliding_window");
  if (config.find_number("rotary_pct").value_or(1) != 1)
    config.fail("\"rotary_pct\" is not 1, which is not supported");
  if (config.find_int("sliding_window_pattern").value_or(4) != 4)
    config.fail("\"sliding_window_pattern\" is not 4, which is not supported");
  expect_full_layers(config, "layer_types", "full_attention", "layers without a window");
}

void add_starcoder2(const ConfigKeys& to) {
  const JsonFields& config = to.config();
  to.add("attention.sliding_window",
         config.find_count("sliding_window").value_or(config.count("max_position_embeddings")));
}

// OLMo 3's windows; OLMo 2 has none.
void add_olmo(const ConfigKeys& to) {
  if (!to.config().find_int("sliding_window")) return;
  to.copy_count("sliding_window", "attention.sliding_window");
  const std::vector<std::int32_t> slide = layers_of_type(to.config(), "sliding_attention");
  if (!slide.empty()) to.keys().add_numbers(to.key("attention.sliding_window_pattern"), slide);
}

// Every other layer has a window, the first of all does.
void add_gpt_oss(const ConfigKeys& to) {
  const JsonFields& config = to.config();
  to.copy_count("intermediate_size", "expert_feed_forward_length");
  to.copy_count("sliding_window", "attention.sliding_window");
  const std::vector<std::int32_t> slide = layers_of_type(config, "sliding_attention");
  for (std::size_t il = 0; il < slide.size(); ++il)
    if (slide[il] != (il % 2 == 0 ? 1 : 0))
      config.fail(
          "\"layer_types\" has other windows than every other layer's, which is not supported");
  const double limit = config.find_number("swiglu_limit").value_or(kSwigluLimit);
  if (limit != kSwigluLimit)
    config.fail(fmt::format("\"swiglu_limit\" is {}, expected {}", limit, kSwigluLimit));
}

// Sizes of heads, as GGUF files have them whose attn_kv_b is whole.
void add_latent(const ConfigKeys& to) {
  const JsonFields& config = to.config();
  const std::uint32_t n_rot = config.count("qk_rope_head_dim");
  to.copy_count("kv_lora_rank", "attention.kv_lora_rank");
  to.copy_natural("q_lora_rank", "attention.q_lora_rank");
  to.add("attention.key_length", config.count("qk_nope_head_dim", 1 << 12) + n_rot);
  to.copy_count("v_head_dim", "attention.value_length");
  if (!config.find_flag("rope_interleave").value_or(true))
    config.fail("\"rope_interleave\" is false, which is not supported");
}

void add_delta_net(const ConfigKeys& to) {
  const JsonFields& config = to.config();
  const std::uint32_t d_state = to.copy_count("linear_key_head_dim", "ssm.state_size");
  const std::uint32_t n_heads = to.copy_count("linear_num_value_heads", "ssm.time_step_rank");
  to.copy_count("linear_num_key_heads", "ssm.group_count");
  to.copy_count("linear_conv_kernel_dim", "ssm.conv_kernel");
  if (config.count("linear_value_head_dim") != d_state) {
    config.fail(fmt::format("\"linear_value_head_dim\" is {}, expected {} as the keys have",
                            config.count("linear_value_head_dim"), d_state));
  }
  to.add("ssm.inner_size", n_heads * d_state);
  to.add("full_attention_interval", config.find_count("full_attention_interval").value_or(4));
  const std::vector<std::int32_t> are = layers_of_type(config, "linear_attention");
  if (!are.empty()) to.keys().add_numbers(to.key("attention.recurrent_layers"), are);
  if (!config.find_flag("attn_output_gate").value_or(true))
    config.fail("\"attn_output_gate\" is false, which is not supported");
}

// Value heads stand by the key head that they share; GGUF files of the architecture have them in
// another order (row_order.h). Text has the same position in all sections.
void add_qwen35(const ConfigKeys& to) {
  add_delta_net(to);
  to.keys().add_flag(to.key(kTiledKey), false);
  std::vector<std::int32_t> sections = {11, 11, 10, 0};  // transformers' default
  const auto rope = to.config().find_object("rope_parameters");
  const Json* given = rope ? rope->find("mrope_section") : nullptr;
  const auto sizes = given == nullptr ? std::span<const Json>() : given->elements();
  for (std::size_t i = 0; i < std::min<std::size_t>(sizes.size(), 3); ++i) {
    const auto size = sizes[i].as_int();
    if (size && std::in_range<std::int32_t>(*size)) sections[i] = static_cast<std::int32_t>(*size);
  }
  to.keys().add_numbers(to.key("rope.dimension_sections"), sections);
}

}  // namespace

void add_family_keys(const ConfigKeys& to) {
  const std::string_view name = to.architecture();
  if (name == "gemma2" || name == "gemma3") return add_gemma(to);
  if (name == "granite") return add_granite(to);
  if (name == "cohere2") return add_cohere2(to);
  if (name == "starcoder2") return add_starcoder2(to);
  if (name == "olmo2") return add_olmo(to);
  if (name == "deepseek2") return add_latent(to);
  if (name == "gpt-oss") return add_gpt_oss(to);
  if (name == "qwen3next") return add_delta_net(to);
  if (name == "qwen35" || name == "qwen35moe") return add_qwen35(to);
  if (name == "smollm3")
    expect_full_layers(to.config(), "no_rope_layers", 0, "layers without rotation");
}

}  // namespace confab::engine
