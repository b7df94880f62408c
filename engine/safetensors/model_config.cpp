// SPDX-License-Identifier: MIT
#include "engine/safetensors/model_config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/error.h"
#include "engine/gguf/row_order.h"

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
    {.of = "Glm4ForCausalLM", .architecture = "glm4"},
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
  if (names == nullptr || !names->is_array() || names->empty() || !names->front().is_string()) {
    config.fail("\"architectures\" is missing, expected the class of the model");
  }
  const auto name = names->front().get<std::string>();
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
    keys_.add(key("feed_forward_length"), config_.count("intermediate_size"));
    keys_.add(key("attention.head_count"), n_head);
    keys_.add(key("attention.head_count_kv"),
              config_.find_count("num_key_value_heads").value_or(is_gemma3() ? 4 : n_head));
    add_epsilon();
    const std::uint32_t head_dim = read_head_dim(n_embd / n_head);
    keys_.add(key("attention.key_length"), head_dim);
    keys_.add(key("attention.value_length"), head_dim);
    if (family_.neighbours) keys_.add_flag(key(kInterleavedKey), false);
    add_experts();
    add_own();
    return add_rope(config_, {family_.architecture, head_dim, n_ctx}, keys_);
  }

 private:
  std::string key(std::string_view name) const {
    return fmt::format("{}.{}", family_.architecture, name);
  }
  bool is_gemma3() const noexcept { return family_.architecture == "gemma3"; }

  // Files of Gemma 3 leave out what is as the class has it.
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

  // Without a field for it, the embedding's share; these have a size of their own.
  std::uint32_t read_head_dim(std::uint32_t share) const {
    constexpr std::int64_t kMax = 1 << 12;
    if (is_gemma3()) return config_.find_count("head_dim", kMax).value_or(256);
    const std::string_view name = family_.architecture;
    if (name == "qwen3" || name == "qwen3moe" || name == "gemma2")
      return config_.count("head_dim", kMax);
    return config_.find_count("head_dim", kMax).value_or(share);
  }

  void check_activation() const {
    for (const char* name : {"hidden_activation", "hidden_act"}) {
      const auto value = config_.find_text(name);
      // Gemma 2 was published with the exact GELU by mistake, beside the right one.
      if (name == std::string_view("hidden_act") && family_.shifted_norms) continue;
      if (value && *value != family_.activation) {
        config_.fail(fmt::format("\"{}\" is {}, expected {} for {}", name, printable(*value),
                                 family_.activation, family_.of));
      }
    }
  }

  void add_experts() {
    auto n = config_.find_count("num_local_experts");
    if (!n) n = config_.find_count("num_experts");
    if (!n) return;
    keys_.add(key("expert_count"), *n);
    keys_.add(key("expert_used_count"), config_.count("num_experts_per_tok", *n));
    if (const auto n_ff = config_.find_count("moe_intermediate_size"))
      keys_.add(key("expert_feed_forward_length"), *n_ff);
    const Json* dense = config_.find("mlp_only_layers");
    const bool all = config_.find_int("decoder_sparse_step").value_or(1) == 1 &&
                     (dense == nullptr || dense->empty());
    if (!all) config_.fail("only some of its layers have experts, which is not supported");
    if (config_.find_flag("norm_topk_prob").value_or(family_.sums_to_one) != family_.sums_to_one) {
      config_.fail(fmt::format("\"norm_topk_prob\" is {}, expected {} for {}", !family_.sums_to_one,
                               family_.sums_to_one, family_.of));
    }
    if (const auto n_ff = config_.find_count("shared_expert_intermediate_size"))
      keys_.add(key("expert_shared_feed_forward_length"), *n_ff);
  }

  void add_number(const char* name, const char* as) {
    if (const auto value = config_.find_number(name))
      keys_.add_float(key(as), static_cast<float>(*value));
  }

  void add_own() {
    const std::string_view name = family_.architecture;
    if (name == "gemma2" || name == "gemma3") {
      add_number("attn_logit_softcapping", "attn_logit_softcapping");
      add_number("final_logit_softcapping", "final_logit_softcapping");
      if (config_.find_int("sliding_window_pattern").value_or(0) != 1)
        keys_.add(key("attention.sliding_window"), config_.count("sliding_window"));
    } else if (name == "granite") {
      add_number("attention_multiplier", "attention.scale");
      add_number("embedding_multiplier", "embedding_scale");
      add_number("residual_multiplier", "residual_scale");
      add_number("logits_scaling", "logit_scale");
    } else if (name == "cohere2") {
      add_cohere2();
    } else if (name == "smollm3") {
      expect_full_layers("no_rope_layers", 0, "layers without rotation");
    } else if (name == "starcoder2") {
      keys_.add(
          key("attention.sliding_window"),
          config_.find_count("sliding_window").value_or(config_.count("max_position_embeddings")));
    }
  }

  // Three layers of four with a window, the fourth without one and without rotation.
  void add_cohere2() {
    if (!config_.find_number("logit_scale")) config_.fail("\"logit_scale\" is missing");
    add_number("logit_scale", "logit_scale");
    keys_.add(key("attention.sliding_window"), config_.count("sliding_window"));
    if (config_.find_number("rotary_pct").value_or(1) != 1)
      config_.fail("\"rotary_pct\" is not 1, which is not supported");
    if (config_.find_int("sliding_window_pattern").value_or(4) != 4)
      config_.fail("\"sliding_window_pattern\" is not 4, which is not supported");
    expect_full_layers("layer_types", "full_attention", "layers without a window");
  }

  // A list of what layers are, if there is one, says this of every fourth and of no other.
  void expect_full_layers(std::string_view list, const Json& value, std::string_view what) const {
    const Json* layers = config_.find(list);
    if (layers == nullptr) return;
    bool fits = layers->is_array();
    for (std::size_t il = 0; fits && il < layers->size(); ++il)
      fits = ((*layers)[il] == value) == (il % 4 == 3);
    if (!fits) {
      config_.fail(
          fmt::format("\"{}\" has other {} than every fourth, which is not supported", list, what));
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
  // What sees images too has its language model in an object of its own.
  const auto text = all.find_object("text_config");
  const JsonFields& fields = text ? *text : all;
  const auto tied = all.find_flag("tie_word_embeddings");
  ModelConfig read{&family, tied.value_or(family.tied), {}, read_quantization(all)};
  read.vectors = ConfigReader(family, fields, keys).read();
  return read;
}

}  // namespace confab::engine
