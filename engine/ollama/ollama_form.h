// SPDX-License-Identifier: MIT
// Files as Ollama's converters have written them, where they differ from llama.cpp's form: other
// names for the architecture, keys and tensors, missing keys, images and sound in the same file.
//
// The comment of each form names the Ollama sources behind it (https://github.com/ollama/ollama as
// of August 2026: convert/ and llama/compat/; model/models/ as of May 2026, which ran these files
// before).
#pragma once

#include "engine/gguf/gguf.h"

namespace confab::engine {

// Returns the file as llama.cpp would have written it, unchanged if it already has that form.
// Throws a ModelError that says what to do if it is an Ollama file of a model that confab cannot
// run.
Gguf in_llama_cpp_form(Gguf gguf);

}  // namespace confab::engine
