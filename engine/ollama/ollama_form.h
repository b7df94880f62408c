// SPDX-License-Identifier: MIT
// Files as Ollama's converters have written them, where that differs from llama.cpp's form: other
// names of architecture, keys and tensors, keys left out, pictures and sound in the same file.
//
// A form is a row of its own; its facts are those of Ollama's sources, which each file names
// (https://github.com/ollama/ollama, of August 2026: convert/, llama/compat/, and model/models/ of
// May 2026, which ran these files before).
#pragma once

#include <string_view>

#include "engine/gguf/gguf.h"

namespace confab::engine {

class Translation;

struct OllamaForm {
  std::string_view architecture;  // as the file has it
  std::string_view becomes;       // as llama.cpp has it
  // Whether a file of that architecture is in this form, by its keys and tensors.
  bool (*matches)(const Gguf& gguf);
  // Throws ModelError for what is not to be had without changing the data of matrices.
  void (*translate)(Translation& to);
};

extern const OllamaForm kOllamaGemma3;
extern const OllamaForm kOllamaGemma4;
extern const OllamaForm kOllamaGlm4MoeLite;
extern const OllamaForm kOllamaGptOss;
extern const OllamaForm kOllamaLlama3;
extern const OllamaForm kOllamaMistral3;
extern const OllamaForm kOllamaOlmo3;
extern const OllamaForm kOllamaQwen35;
extern const OllamaForm kOllamaQwen35Moe;
extern const OllamaForm kOllamaQwen3Next;

// The file as llama.cpp would have it; one that is in that form already, as it is. Throws
// ModelError, with what to do, for Ollama's files of models that confab does not run.
Gguf in_llama_cpp_form(Gguf gguf);

}  // namespace confab::engine
