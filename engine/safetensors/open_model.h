// SPDX-License-Identifier: MIT
// A model wherever it is: a GGUF file, in llama.cpp's form or Ollama's, or a folder of Hugging
// Face's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/gguf/gguf.h"

namespace confab::engine {

struct ModelConfig;

// Whether the path is a folder with a config.json.
bool is_model_folder(const std::string& path);

// path: of a GGUF file (the first, where there are several), of a model's folder, or of one of its
// safetensors files or their index. Throws ModelError.
Gguf open_model(const std::string& path);

// A folder of Hugging Face's (config.json, tokenizer.json, weights in safetensors files) as the
// Gguf that the rest of the engine reads. Throws ModelError, which names the file.
//
// Matrices stay where they are in the mapped files. Vectors are copied as F32 where they are not
// F32 already, or where GGUF has other values (Gemma's norms); so are the taps of convolutions, a
// few for each channel. Where GGUF has the rows of queries and keys in another order, they stay as
// they are, and the rotation is the other one (row_order.h); so does a delta net with the order of
// its value heads.
Gguf open_model_folder(const std::string& folder);

// GGUF's name of a tensor that has one of Hugging Face's classes. Empty: it is not needed (images,
// angles of rotations, a second output). nullopt: unknown. Source: llama.cpp,
// gguf-py/gguf/tensor_mapping.py.
std::optional<std::string> gguf_name(std::string_view name, const ModelConfig& config);

}  // namespace confab::engine
