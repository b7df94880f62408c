// SPDX-License-Identifier: MIT
#include "engine/safetensors/model_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "engine/gguf/gguf_header.h"
#include "engine/gguf/row_order.h"
#include "engine/safetensors/json_file.h"

namespace confab::engine {
namespace {

constexpr std::string_view kGelu = "gelu_pytorch_tanh";
constexpr ModelFamily gemma(std::string_view of, std::string_view architecture) noexcept {
  return {.of = of,
          .architecture = architecture,
          .activation = kGelu,
          .shifted_norms = true,
          .post_norms = true,
          .tied = true};
}
constexpr ModelFamily qwen_hybrid(std::string_view of, std::string_view architecture) noexcept {
  return {.of = of, .architecture = architecture, .shifted_norms = true, .post_norms = true};
}
constexpr ModelFamily kFamilies[] = {
    {.of = "LlamaForCausalLM", .architecture = "llama", .neighbours = true},
    {.of = "MistralForCausalLM", .architecture = "llama", .neighbours = true},
    {.of = "MixtralForCausalLM", .architecture = "llama", .neighbours = true},
    {.of = "SmolLM3ForCausalLM", .architecture = "smollm3", .neighbours = true, .tied = true},
    {.of = "Qwen2ForCausalLM", .architecture = "qwen2"},
    {.of = "Qwen2MoeForCausalLM", .architecture = "qwen2moe", .sums_to_one = false},
    {.of = "Qwen3ForCausalLM", .architecture = "qwen3"},
    {.of = "Qwen3MoeForCausalLM", .architecture = "qwen3moe"},
    gemma("Gemma2ForCausalLM", "gemma2"),
    gemma("Gemma3ForCausalLM", "gemma3"),
    gemma("Gemma3ForConditionalGeneration", "gemma3"),
    {.of = "Phi3ForCausalLM", .architecture = "phi3"},
    {.of = "GraniteForCausalLM", .architecture = "granite", .neighbours = true},
    {.of = "Olmo2ForCausalLM", .architecture = "olmo2", .post_norms = true},
    {.of = "Olmo3ForCausalLM", .architecture = "olmo2", .post_norms = true},
    {.of = "Glm4ForCausalLM", .architecture = "glm4"},
    {.of = "Glm4MoeLiteForCausalLM", .architecture = "deepseek2"},
    {.of = "DeepseekV2ForCausalLM", .architecture = "deepseek2", .sums_to_one = false},
    {.of = "DeepseekV3ForCausalLM", .architecture = "deepseek2"},
    qwen_hybrid("Qwen3NextForCausalLM", "qwen3next"),
    qwen_hybrid("Qwen3_5ForCausalLM", "qwen35"),
    qwen_hybrid("Qwen3_5ForConditionalGeneration", "qwen35"),
    qwen_hybrid("Qwen3_5MoeForCausalLM", "qwen35moe"),
    qwen_hybrid("Qwen3_5MoeForConditionalGeneration", "qwen35moe"),
    {.of = "GptOssForCausalLM",
     .architecture = "gpt-oss",
     .post_norms = true,
     .columns_first = true},
    {.of = "Cohere2ForCausalLM",
     .architecture = "cohere2",
     .epsilon = "layer_norm_eps",
     .tied = true},
    {.of = "Starcoder2ForCausalLM",
     .architecture = "starcoder2",
     .activation = kGelu,
     .epsilon = "norm_epsilon",
     .tied = true},
};

const ModelFamily& find_family(const JsonFields& config) {
  const Json* names = config.find("architectures");
  const auto list = names == nullptr ? std::span<const Json>() : names->elements();
  if (list.empty() || !list.front().is_string()) {
    config.fail("\"architectures\" is missing, expected the class of the model");
  }
  const std::string& name = *list.front().as_text();
  std::string known;
  for (const ModelFamily& family : kFamilies) {
    if (family.of == name) return family;
    known += (known.empty() ? "" : ", ") + std::string(family.of);
  }
  config.fail(
      fmt::format("{} cannot be run from safetensors; use a GGUF file of the model. "
                  "Supported: {}",
                  printable(name), known));
}

constexpr std::uint32_t kSoftmax = 1, kSigmoid = 2;  // llama.cpp's llama_expert_gating_func_type

void check_weighting(const ModelFamily& family, const JsonFields& config) {
  if (config.find_flag("norm_topk_prob").value_or(family.sums_to_one) == family.sums_to_one) return;
  config.fail(fmt::format("\"norm_topk_prob\" is {}, expected {} for {}", !family.sums_to_one,
                          family.sums_to_one, family.of));
}

void check_all_layers(const JsonFields& config) {
  const Json* dense = config.find("mlp_only_layers");
  const bool all = config.find_int("decoder_sparse_step").value_or(1) == 1 &&
                   (dense == nullptr || dense->empty());
  if (!all) config.fail("only some of its layers have experts, which is not supported");
}

// Experts in every layer, optionally with a gated expert that all tokens share.
void add_everywhere(const ModelFamily& family, const ConfigKeys& to, std::uint32_t n) {
  const JsonFields& config = to.config();
  to.add("expert_count", n);
  to.add("expert_used_count", config.count("num_experts_per_tok", n));
  if (const auto n_ff = config.find_count("moe_intermediate_size"))
    to.add("expert_feed_forward_length", *n_ff);
  check_all_layers(config);
  check_weighting(family, config);
  if (const auto n_ff = config.find_count("shared_expert_intermediate_size"))
    to.add("expert_shared_feed_forward_length", *n_ff);
}

std::uint32_t gating(const ModelFamily& family, const JsonFields& config) {
  const auto name = config.find_text("scoring_func");
  if (!name) return family.sums_to_one ? kSigmoid : kSoftmax;  // the default of the class
  if (*name == "softmax") return kSoftmax;
  if (*name != "sigmoid") {
    config.fail(
        fmt::format("\"scoring_func\" is {}, expected softmax or sigmoid", printable(*name)));
  }
  return kSigmoid;
}

// A group is ranked by its two best experts, as in DeepSeek-V3.
void add_groups(const ModelFamily& family, const ConfigKeys& to) {
  const JsonFields& config = to.config();
  const std::uint32_t n = config.find_count("n_group").value_or(1);
  const std::string method =
      config.find_text("topk_method").value_or(family.sums_to_one ? "noaux_tc" : "greedy");
  if (n == 1 || method == "greedy") return;
  if (method != "noaux_tc") {
    config.fail(
        fmt::format("\"topk_method\" is {} with {} groups of experts, expected noaux_tc or "
                    "greedy; use a GGUF file of the model",
                    printable(method), n));
  }
  to.add("expert_group_count", n);
  to.add("expert_group_used_count", config.count("topk_group", n));
}

// Dense layers come first. Shared experts have no gate.
void add_after_dense(const ModelFamily& family, const ConfigKeys& to) {
  const JsonFields& config = to.config();
  const auto n = config.find_count("n_routed_experts");
  if (!n) return;
  to.add("expert_count", *n);
  to.add("expert_used_count", config.count("num_experts_per_tok", *n));
  to.copy_count("moe_intermediate_size", "expert_feed_forward_length");
  to.copy_natural("n_shared_experts", "expert_shared_count");
  to.copy_natural("first_k_dense_replace", "leading_dense_block_count");
  if (config.find_int("moe_layer_freq").value_or(1) != 1)
    config.fail("\"moe_layer_freq\" is not 1, which is not supported");
  to.add("expert_gating_func", gating(family, config));
  to.keys().add_flag(to.key("expert_weights_norm"),
                     config.find_flag("norm_topk_prob").value_or(family.sums_to_one));
  to.copy_number("routed_scaling_factor", "expert_weights_scale");
  add_groups(family, to);
}

}  // namespace

void add_mixture(const ModelFamily& family, const ConfigKeys& to) {
  if (to.architecture() == "deepseek2") return add_after_dense(family, to);
  auto n = to.config().find_count("num_local_experts");
  if (!n) n = to.config().find_count("num_experts");
  if (n) add_everywhere(family, to, *n);
}

namespace {

constexpr double kSwigluLimit = 7;  // of gpt-oss's gates and ups

// Checks that the list of layer kinds, if present, has this value for every fourth layer and no
// other.
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

// Returns 1 for each layer of this kind and 0 for the others. Empty if there is no such list.
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

// Three of four layers have a window. The fourth has neither a window nor rotation.
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

// OLMo 3 has windows, OLMo 2 does not.
void add_olmo(const ConfigKeys& to) {
  if (!to.config().find_int("sliding_window")) return;
  to.copy_count("sliding_window", "attention.sliding_window");
  const std::vector<std::int32_t> slide = layers_of_type(to.config(), "sliding_attention");
  if (!slide.empty()) to.keys().add_numbers(to.key("attention.sliding_window_pattern"), slide);
}

// Every other layer has a window, beginning with the first.
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

// Sizes of heads, as in GGUF files whose attn_kv_b is not split.
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

// Value heads stand next to the key head that they share, unlike in GGUF files of the architecture
// (row_order.h). Text has the same position in all sections.
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

// Adds the keys that only some families have: windows, scales, caps, latent attention, delta nets.
// Throws ModelError for variants of a family that cannot be run.
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

class ConfigReader {
 public:
  ConfigReader(const ModelFamily& family, const JsonFields& config, GgufHeader& keys)
      : family_(family), config_(config), keys_(keys) {}

  std::vector<NamedVector> read() {
    check_activation();
    keys_.add_text("general.architecture", family_.architecture);
    const std::uint32_t n_embd = config_.count("hidden_size");
    const std::uint32_t n_ctx = count("max_position_embeddings", 131072);
    const std::uint32_t n_head = count("num_attention_heads", 8);
    keys_.add(key("block_count"), config_.count("num_hidden_layers"));
    keys_.add(key("context_length"), n_ctx);
    keys_.add(key("embedding_length"), n_embd);
    // A model with a mixture in every layer may lack the field.
    if (family_.architecture != "qwen35moe" || config_.find("intermediate_size") != nullptr)
      keys_.add(key("feed_forward_length"), config_.count("intermediate_size"));
    keys_.add(key("attention.head_count"), n_head);
    keys_.add(key("attention.head_count_kv"),
              is_latent()
                  ? n_head
                  : config_.find_count("num_key_value_heads").value_or(is_gemma3() ? 4 : n_head));
    add_epsilon();
    const std::uint32_t head_dim = is_latent() ? config_.count("qk_rope_head_dim")  // rotated
                                               : add_head_dim(n_embd / n_head);
    if (family_.neighbours) keys_.add_flag(key(kInterleavedKey), false);
    const ConfigKeys to(family_.architecture, config_, keys_);
    add_mixture(family_, to);
    add_family_keys(to);
    return add_rope(config_, {family_.architecture, head_dim, n_ctx}, keys_);
  }

 private:
  std::string key(std::string_view name) const {
    return fmt::format("{}.{}", family_.architecture, name);
  }
  bool is_gemma3() const noexcept { return family_.architecture == "gemma3"; }
  bool is_latent() const noexcept { return family_.architecture == "deepseek2"; }

  // Files of Gemma 3 leave out values that equal the defaults of the class.
  std::uint32_t count(std::string_view name, std::uint32_t of_gemma3) const {
    return is_gemma3() ? config_.find_count(name).value_or(of_gemma3) : config_.count(name);
  }

  void add_epsilon() {
    const auto value = config_.find_number(family_.epsilon);
    if (!value && !is_gemma3()) config_.fail(fmt::format("\"{}\" is missing", family_.epsilon));
    const bool is_rms = family_.epsilon == "rms_norm_eps";
    keys_.add_float(
        key(is_rms ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon"),
        static_cast<float>(value.value_or(1e-6)));
  }

  // The default is n_embd / n_head, but some families have a different default or require the
  // field.
  std::uint32_t read_head_dim(std::uint32_t share) const {
    constexpr std::int64_t kMax = 1 << 12;
    if (is_gemma3()) return config_.find_count("head_dim", kMax).value_or(256);
    const std::string_view name = family_.architecture;
    if (name == "gemma2" || name.starts_with("qwen3")) return config_.count("head_dim", kMax);
    return config_.find_count("head_dim", kMax).value_or(share);
  }

  std::uint32_t add_head_dim(std::uint32_t share) {
    const std::uint32_t head_dim = read_head_dim(share);
    keys_.add(key("attention.key_length"), head_dim);
    keys_.add(key("attention.value_length"), head_dim);
    return head_dim;
  }

  void check_activation() const {
    for (const char* name : {"hidden_activation", "hidden_act"}) {
      const auto value = config_.find_text(name);
      // Gemma 2 was published with the exact GELU in hidden_act by mistake, next to the right one.
      if (name == std::string_view("hidden_act") && family_.activation == kGelu &&
          family_.shifted_norms)
        continue;
      if (value && *value != family_.activation) {
        config_.fail(fmt::format("\"{}\" is {}, expected {} for {}", name, printable(*value),
                                 family_.activation, family_.of));
      }
    }
  }

  const ModelFamily& family_;
  const JsonFields& config_;
  GgufHeader& keys_;
};

}  // namespace

ModelConfig read_model_config(const std::string& path, const Json& config, GgufHeader& keys) {
  const JsonFields all(path, config);
  const ModelFamily& family = find_family(all);
  // Models that also see images have a separate object for their language model.
  const auto text = all.find_object("text_config");
  const JsonFields& fields = text ? *text : all;
  auto tied = all.find_flag("tie_word_embeddings");
  if (!tied) tied = fields.find_flag("tie_word_embeddings");
  ModelConfig read{&family, tied.value_or(family.tied), {}, read_quantization(all)};
  read.n_layer = static_cast<int>(fields.count("num_hidden_layers"));
  read.vectors = ConfigReader(family, fields, keys).read();
  return read;
}

}  // namespace confab::engine
