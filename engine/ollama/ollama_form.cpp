// SPDX-License-Identifier: MIT
#include "engine/ollama/ollama_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/ollama/translation.h"

namespace confab::engine {
namespace {

constexpr std::array kForms = {
    &kOllamaGemma3,   &kOllamaGemma4, &kOllamaGlm4MoeLite, &kOllamaGptOss,    &kOllamaLlama3,
    &kOllamaMistral3, &kOllamaOlmo3,  &kOllamaQwen35,      &kOllamaQwen35Moe, &kOllamaQwen3Next};

// Architectures of Ollama's that confab has none for (llama/compat/README.md, and model/models of
// what is older).
struct Foreign {
  std::string_view architecture;
  bool only_ollamas;  // nobody else calls it so; else what is embedded tells
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
  if (architecture == nullptr) return gguf;  // who reads it says so
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
