// SPDX-License-Identifier: MIT
// A folder of Hugging Face's (config.json, tokenizer.json, weights in safetensors files) as the
// Gguf that the rest of the engine reads.
//
// Matrices stay where they are in the mapped files. Vectors are copied as F32 where they are not
// F32 already, or where GGUF has other values (Gemma's norms); so are the taps of convolutions, a
// few for each channel. Where GGUF has the rows of queries
// and keys in another order, they stay as they are, and the rotation is the other one
// (row_order.h); so does a delta net with the order of its value heads.
#pragma once

#include <string>

#include "engine/gguf/gguf.h"

namespace confab::engine {

// Throws ModelError, which names the file.
Gguf open_model_folder(const std::string& folder);

}  // namespace confab::engine
