// SPDX-License-Identifier: MIT
// Mistral Small 3.1 and later, Ministral 3, Devstral 2 (April 2025 on): YaRN's keys have other
// names or, where a model has no YaRN, values that say so; the growth of queries has another name.
// Rows of queries and keys are in llama.cpp's order. Sources: convert/convert_mistral.go at
// 6bd0a983c, d3e0a0dee and a838421ea, and today (repack: the order of rows);
// llama/compat/llama-ollama-compat.cpp, handle_mistral3.
#include <algorithm>
#include <array>

#include "engine/ollama/ollama_form.h"
#include "engine/ollama/tokenizer_keys.h"
#include "engine/ollama/translation.h"

namespace confab::engine {
namespace {

constexpr std::array<std::string_view, 5> kMarkers = {
    "mistral3.mm.projector_bias", "mistral3.rope.scaling.beta_fast",
    "mistral3.rope.scaling.mscale_all_dim", "mistral3.rope.scaling_beta",
    "mistral3.vision.block_count"};

bool is_mistral3(const Gguf& gguf) {
  return has_embedded_parts(gguf) || gguf.find_string("mistral3.rope.scaling.type") == "" ||
         std::ranges::any_of(kMarkers, [&](auto key) { return gguf.find(key) != nullptr; });
}

void translate(Translation& to) {
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

}  // namespace

const OllamaForm kOllamaMistral3{.architecture = "mistral3",
                                 .becomes = "mistral3",
                                 .matches = is_mistral3,
                                 .translate = translate};

}  // namespace confab::engine
