// SPDX-License-Identifier: MIT
// Files as Ollama's converters have written them, where that differs from llama.cpp's form: other
// names of architecture, keys and tensors, keys left out, pictures and sound in the same file.
//
// Each form names the sources of Ollama's that its facts are from
// (https://github.com/ollama/ollama, of August 2026: convert/, llama/compat/, and model/models/ of
// May 2026, which ran these files before).
#pragma once

#include "engine/gguf/gguf.h"

namespace confab::engine {

// The file as llama.cpp would have it; one that is in that form already, as it is. Throws
// ModelError, with what to do, for Ollama's files of models that confab does not run.
Gguf in_llama_cpp_form(Gguf gguf);

}  // namespace confab::engine
