// SPDX-License-Identifier: MIT
#include "engine/ollama/ollama_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/ollama/translation.h"

namespace confab::engine {
namespace {

// A form that Ollama's converters have written.
struct OllamaForm {
  std::string_view architecture;  // in the file
  std::string_view becomes;       // llama.cpp's name
  // Returns true if the keys and tensors of a file of that architecture are in this form.
  bool (*matches)(const Gguf& gguf);
  // Throws ModelError if the file cannot be translated without changing the data of matrices.
  void (*translate)(Translation& to);
};

// Gemma 3 since March 2025: keys that all its sizes share are missing, the bases of rotations have
// other names, and tokens for images follow the vocabulary. Norms have 1 added, as in llama.cpp's
// files. Sources: convert/convert_gemma3.go (addOne; the names since 6b32a2d54),
// model/models/gemma3/model_text.go, newTextModel (corrections by the number of layers);
// llama/compat/llama-ollama-compat.cpp, handle_gemma3 and handle_embeddinggemma.

constexpr std::int64_t kLayersOf1b = 26;
constexpr std::array<std::int64_t, 3> kLayersWithPictures = {34, 48, 62};  // 4B, 12B, 27B

bool is_gemma3(const Gguf& gguf) {
  const auto has = [&](std::string_view key) { return gguf.find(key) != nullptr; };
  return has_embedded_parts(gguf) || has("gemma3.mm.tokens_per_image") ||
         has("gemma3.rope.global.freq_base") || has("gemma3.rope.local.freq_base") ||
         !has("gemma3.attention.layer_norm_rms_epsilon") ||
         gguf.find_tensor("dense.0.weight") != nullptr;
}

// Corrects what early files of these sizes have wrong or lack.
void correct_by_size(Translation& to) {
  const std::int64_t n_layer = to.number("block_count").value_or(0);
  const bool slides =
      to.number("attention.sliding_window").value_or(0) < to.number("context_length").value_or(0);
  const bool is_1b = slides && n_layer == kLayersOf1b;
  if (is_1b || to.real("final_logit_softcapping") == 0) to.leave_out("final_logit_softcapping");
  if (!slides || std::ranges::find(kLayersWithPictures, n_layer) == kLayersWithPictures.end())
    return;
  to.set_if_missing("rope.scaling.type", "linear");
  to.set_if_missing("rope.scaling.factor", 8.0F);
}

void translate_gemma3(Translation& to) {
  if (to.gguf().find_tensor("dense.0.weight") != nullptr) {
    to.gguf().fail(
        "is an embedding model (tensor dense.0.weight), which writes no text; choose another");
  }
  if (!to.has("rope.global.freq_base")) to.set_if_missing("rope.freq_base", 1e6F);
  if (!to.has("rope.local.freq_base")) to.set_if_missing("rope.freq_base_swa", 1e4F);
  to.rename("rope.global.freq_base", "rope.freq_base");
  to.rename("rope.local.freq_base", "rope.freq_base_swa");
  to.rename("rope.scaling.extrapolation_factor", "rope.scaling.yarn_ext_factor");
  to.rename("rope.scaling.beta_fast", "rope.scaling.yarn_beta_fast");
  to.rename("rope.scaling.beta_slow", "rope.scaling.yarn_beta_slow");
  to.set_if_missing("attention.layer_norm_rms_epsilon", 1e-6F);
  correct_by_size(to);
  cut_vocabulary(to);
}

// Gemma 4 since April 2026: its tokenizer has the wrong name. Sources: convert/convert_gemma4.go,
// handle_gemma4; other names of tensors: model/models/gemma4/model_text.go.

// Byte-pair encoding under SentencePiece's name. Files without merges may be what the name says.
bool has_misnamed_tokenizer(const Gguf& gguf) {
  return gguf.find_string("tokenizer.ggml.model") == "llama" &&
         gguf.find("tokenizer.ggml.merges") != nullptr;
}

bool is_gemma4(const Gguf& gguf) {
  return has_embedded_parts(gguf) || has_misnamed_tokenizer(gguf) ||
         gguf.find_tensor("blk.0.ffn_gate_inp.per_expert_scale") != nullptr;
}

constexpr auto kGemma4Tensors = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"ffn_gate_inp.per_expert_scale", "ffn_down_exps.scale"},
     {"attn_post_norm.weight", "post_attention_norm.weight"},
     {"ffn_pre_norm.weight", "ffn_norm.weight"},
     {"ffn_post_norm.weight", "post_ffw_norm.weight"},
     {"ffn_pre_norm_2.weight", "pre_ffw_norm_2.weight"},
     {"ffn_post_norm_1.weight", "post_ffw_norm_1.weight"},
     {"ffn_post_norm_2.weight", "post_ffw_norm_2.weight"},
     {"layer_scalar", "layer_output_scale.weight"}});

void translate_gemma4(Translation& to) {
  // Otherwise the markers of turns would be split.
  if (has_misnamed_tokenizer(to.gguf())) to.set("tokenizer.ggml.model", "gemma4");
  to.rename("rope.local.freq_base", "rope.freq_base_swa");
  to.rename_tensors(kGemma4Tensors);
  cut_vocabulary(to);
}

constexpr OllamaForm kOllamaGemma3{.architecture = "gemma3",
                                   .becomes = "gemma3",
                                   .matches = is_gemma3,
                                   .translate = translate_gemma3};
constexpr OllamaForm kOllamaGemma4{.architecture = "gemma4",
                                   .becomes = "gemma4",
                                   .matches = is_gemma4,
                                   .translate = translate_gemma4};

// GLM-4.7-Flash from January to May 2026: llama.cpp's deepseek2 under a separate architecture name.
// The first files have attn_kv_b whole and the sizes of heads. Later files have it split, and the
// sizes of the cache under the names that llama.cpp uses for the sizes of heads. Sources:
// convert/convert_glm4moelite.go at 4f138a174 and 64737330a; llama/compat/llama-ollama-compat.cpp,
// handle_glm4moelite.

void swap_sizes(Translation& to) {
  const auto head_k = to.number("attention.key_length");
  const auto head_v = to.number("attention.value_length");
  const auto cache_k = to.number("attention.key_length_mla");
  const auto cache_v = to.number("attention.value_length_mla");
  if (!head_k || !head_v || !cache_k || !cache_v) return;
  to.set("attention.head_count_kv", 1U);
  to.set("attention.key_length", static_cast<std::uint32_t>(*cache_k));
  to.set("attention.value_length", static_cast<std::uint32_t>(*cache_v));
  to.set("attention.key_length_mla", static_cast<std::uint32_t>(*head_k));
  to.set("attention.value_length_mla", static_cast<std::uint32_t>(*head_v));
}

void translate_glm4_moe_lite(Translation& to) {
  swap_sizes(to);
  to.set_if_missing("expert_group_count", 1U);
  to.set_if_missing("expert_group_used_count", 1U);
  to.set("tokenizer.ggml.pre", "glm4");
}

constexpr OllamaForm kOllamaGlm4MoeLite{.architecture = "glm4moelite",
                                        .becomes = "deepseek2",
                                        .matches = [](const Gguf&) { return true; },
                                        .translate = translate_glm4_moe_lite};

// gpt-oss from August 2025 to May 2026: other names for the architecture, the output of attention,
// its sinks and the second norm. Sources: convert/convert_gptoss.go at 93085127f (October 2025: the
// form that is read) and at fa7776fd2 and 59412fbb4 (the first two forms, which are refused);
// llama/compat/llama-ollama-compat.cpp, handle_gptoss.

constexpr auto kGptOssTensors = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"attn_out.weight", "attn_output.weight"},
     {"attn_out.bias", "attn_output.bias"},
     {"attn_sinks", "attn_sinks.weight"},
     {"ffn_norm.weight", "post_attention_norm.weight"}});

void translate_gpt_oss(Translation& to) {
  const Gguf& gguf = to.gguf();
  if (gguf.find_tensor("blk.0.ffn_gate_up_exps.weight") != nullptr) {
    gguf.fail(
        "is gpt-oss as Ollama packed it until October 2025 (gate and up in one, row by row), which "
        "is not read; get it anew: ollama pull gpt-oss, or confab pull ggml-org/gpt-oss-20b-GGUF");
  }
  const GgufTensor* gate = gguf.find_tensor("blk.0.ffn_gate_exps.weight");
  if (gate != nullptr && gate->shape.size() > 1)
    to.set_if_missing("expert_feed_forward_length", static_cast<std::uint32_t>(gate->shape[1]));
  to.set_if_missing("rope.scaling.type", "yarn");
  to.set("tokenizer.ggml.pre", "gpt-4o");
  to.rename_tensors(kGptOssTensors);
}

constexpr OllamaForm kOllamaGptOss{.architecture = "gptoss",
                                   .becomes = "gpt-oss",
                                   .matches = [](const Gguf&) { return true; },
                                   .translate = translate_gpt_oss};

// Llama 3 of April 2024, from before files named their pre-tokenizer. The vocabulary identifies it.
// Source: llama/compat/llama-ollama-compat.cpp, handle_llama3_metadata.

bool is_llama3(const Gguf& gguf) {
  constexpr std::size_t kStartHeader = 128006, kEndOfTurn = 128009;
  const std::string_view pre = gguf.find_string("tokenizer.ggml.pre").value_or("");
  if (!pre.empty() && pre != "default") return false;
  const auto* tokens = array_of<std::string_view>(gguf, "tokenizer.ggml.tokens");
  return tokens != nullptr && tokens->size() > kEndOfTurn &&
         (*tokens)[kStartHeader] == "<|start_header_id|>" && (*tokens)[kEndOfTurn] == "<|eot_id|>";
}

constexpr OllamaForm kOllamaLlama3{
    .architecture = "llama",
    .becomes = "llama",
    .matches = is_llama3,
    .translate = [](Translation& to) { name_pre_tokenizer(to, "llama-bpe"); }};

// Mistral Small 3.1 and later, Ministral 3, Devstral 2 (since April 2025): YaRN's keys have other
// names or, in models without YaRN, values that disable it. The temperature scale of queries has
// another name. Rows of queries and keys are in llama.cpp's order. Sources:
// convert/convert_mistral.go at 6bd0a983c, d3e0a0dee and a838421ea, and today (repack: the order of
// rows); llama/compat/llama-ollama-compat.cpp, handle_mistral3.

constexpr std::array<std::string_view, 5> kMistral3Markers = {
    "mistral3.mm.projector_bias", "mistral3.rope.scaling.beta_fast",
    "mistral3.rope.scaling.mscale_all_dim", "mistral3.rope.scaling_beta",
    "mistral3.vision.block_count"};

bool is_mistral3(const Gguf& gguf) {
  return has_embedded_parts(gguf) || gguf.find_string("mistral3.rope.scaling.type") == "" ||
         std::ranges::any_of(kMistral3Markers, [&](auto key) { return gguf.find(key) != nullptr; });
}

void translate_mistral3(Translation& to) {
  if (to.has("rope.scaling.type") && to.text("rope.scaling.type").empty()) {
    for (const std::string_view name :
         {"type", "factor", "beta_fast", "beta_slow", "yarn_beta_fast", "yarn_beta_slow"})
      to.leave_out("rope.scaling." + std::string(name));
  }
  to.rename("rope.scaling.beta_fast", "rope.scaling.yarn_beta_fast");
  to.rename("rope.scaling.beta_slow", "rope.scaling.yarn_beta_slow");
  to.rename("rope.scaling.mscale_all_dim", "rope.scaling.yarn_log_multiplier");
  to.rename("rope.scaling_beta", "attention.temperature_scale");
  name_pre_tokenizer(to, "tekken");
}

constexpr OllamaForm kOllamaMistral3{.architecture = "mistral3",
                                     .becomes = "mistral3",
                                     .matches = is_mistral3,
                                     .translate = translate_mistral3};

// OLMo 3 since December 2025: a separate architecture name. The magnitude of YaRN's rotation is
// given whole, as in config.json, while GGUF's key multiplies the one that YaRN has anyway.
// Sources: convert/convert_olmo.go at ffbe8e076; model/models/olmo3/model.go, which does not read
// the magnitude but has the pattern of the tokenizer; llama/compat/llama-ollama-compat.cpp,
// handle_olmo3. Files named "olmo2", as the converter writes today, cannot be distinguished from
// llama.cpp's.

void translate_olmo3(Translation& to) {
  const double magnitude = to.real("rope.scaling.attn_factor").value_or(0);
  const double factor = to.real("rope.scaling.factor").value_or(1);
  if (magnitude > 0 && factor > 1 && to.text("rope.scaling.type") == "yarn") {
    to.set("rope.scaling.attn_factor",
           static_cast<float>(magnitude / (1 + 0.1 * std::log(factor))));
  }
  name_pre_tokenizer(to, "dbrx");
}

constexpr OllamaForm kOllamaOlmo3{.architecture = "olmo3",
                                  .becomes = "olmo2",
                                  .matches = [](const Gguf&) { return true; },
                                  .translate = translate_olmo3};

// Qwen3-Next of February 2026 and Qwen3.5 from February to May 2026: 0 KV heads mark the delta
// nets, a bias lacks its ending, and images and further tokens are in the same file. As in
// llama.cpp's files, norms have 1 added, ssm_a is -exp(A_log), and queries, keys, values and gates
// are separate. The value heads of Qwen3.5 are in llama.cpp's order if ssm.v_head_reordered says so
// or is absent. Sources: convert/convert_qwen3next.go at 77eb2ca61 and da70c3222,
// model/models/qwen3next/model.go (inferRecurrentLayers, defaultVHeadReordered);
// llama/compat/llama-ollama-compat.cpp, apply_qwen35_text_fixes and handle_qwen3next.

constexpr auto kQwenTensors =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"ssm_dt", "ssm_dt.bias"}});

bool has_short_bias(const Gguf& gguf) {
  return std::ranges::any_of(gguf.tensors(), [](const GgufTensor& tensor) {
    return tensor.name.starts_with("blk.") && tensor.name.ends_with(".ssm_dt");
  });
}

void name_recurrent_layers(Translation& to) {
  const auto* heads = array_of<std::uint32_t>(to.gguf(), to.key("attention.head_count_kv"));
  if (heads == nullptr || heads->empty()) return;
  const std::uint32_t most = std::ranges::max(*heads);
  if (most == 0) return;  // reading the sizes will report it
  to.set("attention.head_count_kv", most);
  if (to.has("attention.recurrent_layers") || std::ranges::count(*heads, 0U) == 0) return;
  std::vector<std::int32_t> recurrent;
  for (const std::uint32_t n : *heads) recurrent.push_back(n == 0 ? 1 : 0);
  to.set("attention.recurrent_layers", recurrent);
}

void pad_sections(Translation& to) {
  constexpr std::string_view kName = "rope.dimension_sections";
  if (!to.has(kName)) return;
  const auto* sections = to.gguf().find_array<std::int32_t>(to.key(kName));
  if (sections->size() != 3) return;
  std::vector<std::int32_t> padded = *sections;
  padded.push_back(0);
  to.set(kName, padded);
}

void translate_qwen(Translation& to, bool reordered) {
  constexpr std::string_view kOrder = "ssm.v_head_reordered";
  if (to.gguf().find_bool(to.key(kOrder)).value_or(reordered) != reordered) {
    to.gguf().fail(
        std::string("its value heads are in an order that is not read (key ") + to.key(kOrder) +
        "); get the model as llama.cpp has it (confab pull ORG/REPO-GGUF), or convert it anew");
  }
  name_recurrent_layers(to);
  pad_sections(to);
  constexpr std::string_view kWidth = "feed_forward_length";  // 0: all layers have experts
  if (to.number(kWidth) == 0) to.leave_out(kWidth);
  to.rename_tensors(kQwenTensors);
}

bool is_qwen35(const Gguf& gguf) {
  constexpr std::array<std::string_view, 4> kMarkers = {
      ".vision.block_count", ".image_token_id", ".ssm.v_head_reordered", ".rope.mrope_interleaved"};
  const std::string architecture(gguf.find_string("general.architecture").value_or(""));
  return has_embedded_parts(gguf) || has_short_bias(gguf) ||
         std::ranges::any_of(kMarkers, [&](std::string_view key) {
           return gguf.find(architecture + std::string(key)) != nullptr;
         });
}

constexpr OllamaForm kOllamaQwen35{.architecture = "qwen35",
                                   .becomes = "qwen35",
                                   .matches = is_qwen35,
                                   .translate = [](Translation& to) { translate_qwen(to, true); }};
constexpr OllamaForm kOllamaQwen35Moe{
    .architecture = "qwen35moe",
    .becomes = "qwen35moe",
    .matches = is_qwen35,
    .translate = [](Translation& to) { translate_qwen(to, true); }};
constexpr OllamaForm kOllamaQwen3Next{
    .architecture = "qwen3next",
    .becomes = "qwen3next",
    .matches = has_short_bias,
    .translate = [](Translation& to) { translate_qwen(to, false); }};

constexpr std::array kForms = {
    &kOllamaGemma3,   &kOllamaGemma4, &kOllamaGlm4MoeLite, &kOllamaGptOss,    &kOllamaLlama3,
    &kOllamaMistral3, &kOllamaOlmo3,  &kOllamaQwen35,      &kOllamaQwen35Moe, &kOllamaQwen3Next};

// Architecture names of Ollama's that confab does not support (llama/compat/README.md; for older
// ones model/models).
struct Foreign {
  std::string_view architecture;
  bool only_ollamas;  // only Ollama uses the name; otherwise embedded parts identify its files
};
constexpr auto kForeign = std::to_array<Foreign>({{"deepseekocr", true},
                                                  {"gemma3n", false},
                                                  {"glmocr", true},
                                                  {"llama4", false},
                                                  {"mllama", true},
                                                  {"nemotron_h_moe", false},
                                                  {"nemotron_h_omni", true},
                                                  {"qwen25vl", true},
                                                  {"qwen3vl", false},
                                                  {"qwen3vlmoe", false}});

void refuse_foreign(const Gguf& gguf, std::string_view architecture) {
  const auto* found = std::ranges::find(kForeign, architecture, &Foreign::architecture);
  if (found == kForeign.end() || !(found->only_ollamas || has_embedded_parts(gguf))) return;
  gguf.fail(
      fmt::format("is a {} model as Ollama packs it, which this version cannot run; run it in "
                  "Ollama and choose it there (see confab engines), or get another model (confab "
                  "pull --suggest)",
                  architecture));
}

}  // namespace

Gguf in_llama_cpp_form(Gguf gguf) {
  const auto* value = gguf.find("general.architecture");
  const auto* architecture = value == nullptr ? nullptr : std::get_if<std::string_view>(value);
  if (architecture == nullptr) return gguf;  // reading the model will report it
  const auto is_it = [&](const OllamaForm* form) {
    return form->architecture == *architecture && form->matches(gguf);
  };
  const auto form = std::ranges::find_if(kForms, is_it);
  if (form == kForms.end()) {
    refuse_foreign(gguf, *architecture);
    return gguf;
  }
  Translation to(std::move(gguf), (*form)->becomes);
  (*form)->translate(to);
  return std::move(to).finish();
}

}  // namespace confab::engine
