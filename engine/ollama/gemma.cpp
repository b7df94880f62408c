// SPDX-License-Identifier: MIT
// Gemma 3 of March 2025 on: keys are missing that all its sizes share, the bases of rotations have
// other names, and tokens for pictures follow the vocabulary. Norms have their 1 added, as in
// llama.cpp's files. Sources: convert/convert_gemma3.go (addOne; the names since 6b32a2d54),
// model/models/gemma3/model_text.go, newTextModel (what is set right by the number of layers);
// llama/compat/llama-ollama-compat.cpp, handle_gemma3 and handle_embeddinggemma.
//
// Gemma 4 of April 2026 on: its tokenizer has the wrong name. Sources: convert/convert_gemma4.go,
// handle_gemma4; other names of tensors: model/models/gemma4/model_text.go.
#include <algorithm>
#include <array>

#include "engine/ollama/ollama_form.h"
#include "engine/ollama/tokenizer_keys.h"
#include "engine/ollama/translation.h"

namespace confab::engine {
namespace {

constexpr std::int64_t kLayersOf1b = 26;
constexpr std::array<std::int64_t, 3> kLayersWithPictures = {34, 48, 62};  // 4B, 12B, 27B

bool is_gemma3(const Gguf& gguf) {
  const auto has = [&](std::string_view key) { return gguf.find(key) != nullptr; };
  return has_embedded_parts(gguf) || has("gemma3.mm.tokens_per_image") ||
         has("gemma3.rope.global.freq_base") || has("gemma3.rope.local.freq_base") ||
         !has("gemma3.attention.layer_norm_rms_epsilon") ||
         gguf.find_tensor("dense.0.weight") != nullptr;
}

// What early files of these sizes have wrong, or lack.
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

// Byte pairs, under SentencePiece's name. Other files may have what the name says.
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
  // Without it, the markers of turns would be cut into pieces.
  if (has_misnamed_tokenizer(to.gguf())) to.set("tokenizer.ggml.model", "gemma4");
  to.rename("rope.local.freq_base", "rope.freq_base_swa");
  to.rename_tensors(kGemma4Tensors);
  cut_vocabulary(to);
}

}  // namespace

const OllamaForm kOllamaGemma3{.architecture = "gemma3",
                               .becomes = "gemma3",
                               .matches = is_gemma3,
                               .translate = translate_gemma3};
const OllamaForm kOllamaGemma4{.architecture = "gemma4",
                               .becomes = "gemma4",
                               .matches = is_gemma4,
                               .translate = translate_gemma4};

}  // namespace confab::engine
