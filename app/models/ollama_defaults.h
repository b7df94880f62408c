// SPDX-License-Identifier: MIT
// Reads the layers of an Ollama model besides its weights: parameters, a system prompt, a template.
#pragma once

#include <string>
#include <string_view>

#include "app/stores/places.h"
#include "engine/api/model_info.h"

namespace confab::app {

struct OllamaDefaults {
  engine::Recommended recommended = {};
  // The name of one of the engine's templates, for a model whose file has none; empty: the model's
  // own.
  std::string chat_template = {};
};

// The defaults of the model whose weights are in this file. asked: the name that the model was
// requested by, which distinguishes models with the same weights. Empty if it is not an Ollama
// model; an unreadable layer is ignored.
OllamaDefaults ollama_defaults(const Places& places, const std::string& asked,
                               const std::string& path);

// Parses the parameters of a `params` layer:
// https://github.com/ollama/ollama/blob/main/docs/modelfile.mdx
engine::Recommended recommended_by(std::string_view params);

// The engine's template (engine/prompt/builtin_template.h) that writes what this Go template
// writes, recognised by its markers; empty if none matches.
std::string builtin_for(std::string_view go_template);

}  // namespace confab::app
