// SPDX-License-Identifier: MIT
// OLMo 3 of December 2025 on: the architecture has a name of its own, and the magnitude of YaRN's
// rotation is the whole of it, as in config.json, where GGUF's key multiplies what YaRN has anyway.
// Sources: convert/convert_olmo.go at ffbe8e076; model/models/olmo3/model.go, which does not read
// the magnitude, but has the pattern of the tokenizer; llama/compat/llama-ollama-compat.cpp,
// handle_olmo3. Files that say "olmo2", as the converter does today, are not told from llama.cpp's.
#include <cmath>

#include "engine/ollama/ollama_form.h"
#include "engine/ollama/tokenizer_keys.h"
#include "engine/ollama/translation.h"

namespace confab::engine {
namespace {

void translate(Translation& to) {
  const double magnitude = to.real("rope.scaling.attn_factor").value_or(0);
  const double factor = to.real("rope.scaling.factor").value_or(1);
  if (magnitude > 0 && factor > 1 && to.text("rope.scaling.type") == "yarn") {
    to.set("rope.scaling.attn_factor",
           static_cast<float>(magnitude / (1 + 0.1 * std::log(factor))));
  }
  name_pre_tokenizer(to, "dbrx");
}

}  // namespace

const OllamaForm kOllamaOlmo3{.architecture = "olmo3",
                              .becomes = "olmo2",
                              .matches = [](const Gguf&) { return true; },
                              .translate = translate};

}  // namespace confab::engine
