// SPDX-License-Identifier: MIT
#include "engine/safetensors/model_config.h"

#include <fmt/format.h>

#include <utility>

#include "engine/error.h"
#include "engine/gguf/row_order.h"
#include "engine/safetensors/config_keys.h"
#include "engine/safetensors/family_config.h"
#include "engine/safetensors/mixture_config.h"

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
    // Of a mixture in every layer there may be none.
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
      // Gemma 2 was published with the exact GELU by mistake, beside the right one.
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
  // What sees images too has its language model in an object of its own.
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
