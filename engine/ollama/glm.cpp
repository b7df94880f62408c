// SPDX-License-Identifier: MIT
// GLM-4.7-Flash of January to May 2026: what llama.cpp runs as deepseek2, by an architecture of its
// own. Files of the first days have attn_kv_b whole, and sizes of heads; the later ones have it in
// two, and the sizes of the cache under the names that llama.cpp has for those of heads. Sources:
// convert/convert_glm4moelite.go at 4f138a174 and 64737330a;
// llama/compat/llama-ollama-compat.cpp, handle_glm4moelite.
#include "engine/ollama/ollama_form.h"
#include "engine/ollama/translation.h"

namespace confab::engine {
namespace {

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

void translate(Translation& to) {
  swap_sizes(to);
  to.set_if_missing("expert_group_count", 1U);
  to.set_if_missing("expert_group_used_count", 1U);
  to.set("tokenizer.ggml.pre", "glm4");
}

}  // namespace

const OllamaForm kOllamaGlm4MoeLite{.architecture = "glm4moelite",
                                    .becomes = "deepseek2",
                                    .matches = [](const Gguf&) { return true; },
                                    .translate = translate};

}  // namespace confab::engine
