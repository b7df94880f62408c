// SPDX-License-Identifier: MIT
// Opens a model in any supported form: a GGUF file, in llama.cpp's or Ollama's form, or a Hugging
// Face folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/gguf/gguf.h"

namespace confab::engine {

struct ModelConfig;

// Returns true if the path is a folder with a config.json.
bool is_model_folder(const std::string& path);

// path: a GGUF file (the first part of a split set), a model folder, or one of its safetensors
// files or their index. Throws ModelError.
Gguf open_model(const std::string& path);

// Opens a Hugging Face folder (config.json, tokenizer.json, weights in safetensors files) as the
// Gguf that the rest of the engine reads. Throws a ModelError that names the file.
//
// Matrices stay in the mapped files. Vectors are copied as F32 unless they already are F32 with the
// values that GGUF has (Gemma's norms differ). The taps of convolutions, a few per channel, are
// copied too. If GGUF orders the rows of queries and keys differently, the rows keep their order
// here and the rotation changes instead (row_order.h). The value heads of a delta net likewise keep
// their order.
Gguf open_model_folder(const std::string& folder);

// Returns the GGUF name of a tensor named by a Hugging Face class. Empty: the tensor is not needed
// (images, angles of rotations, a second output). nullopt: unknown. Source: llama.cpp,
// gguf-py/gguf/tensor_mapping.py.
std::optional<std::string> gguf_name(std::string_view name, const ModelConfig& config);

}  // namespace confab::engine
