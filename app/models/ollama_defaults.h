// SPDX-License-Identifier: MIT
// What an Ollama model's layers say beside its weights: parameters, a system prompt, a template.
#pragma once

#include <string>
#include <string_view>

#include "app/stores/places.h"
#include "engine/api/model_info.h"

namespace confab::app {

struct OllamaDefaults {
  engine::Recommended recommended = {};
  // The name of a template that the engine has, for a model whose file has none; empty: its own.
  std::string chat_template = {};
};

// Of the weights in this file. asked: the name that the model was asked for by, which tells models
// of the same weights apart. Empty for what is not Ollama's; a layer that cannot be read says
// nothing.
OllamaDefaults ollama_defaults(const Places& places, const std::string& asked,
                               const std::string& path);

// The parameters of a `params` layer: https://github.com/ollama/ollama/blob/main/docs/modelfile.mdx
engine::Recommended recommended_by(std::string_view params);

// Which of the engine's templates (engine/prompt/builtin_template.h) writes what a template of Go
// writes, as its markers tell; empty: none is recognised.
std::string builtin_for(std::string_view go_template);

}  // namespace confab::app
