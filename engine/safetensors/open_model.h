// SPDX-License-Identifier: MIT
// A model wherever it is: a GGUF file, in llama.cpp's form or Ollama's, or a folder of Hugging
// Face's.
#pragma once

#include <string>

#include "engine/gguf/gguf.h"

namespace confab::engine {

// Whether the path is a folder with a config.json.
bool is_model_folder(const std::string& path);

// path: of a GGUF file (the first, where there are several), of a model's folder, or of one of its
// safetensors files or their index. Throws ModelError.
Gguf open_model(const std::string& path);

}  // namespace confab::engine
