// SPDX-License-Identifier: MIT
// Recognises folders with models from Hugging Face by the names of their files and by config.json.
// Nothing else in them is read.
#pragma once

#include <filesystem>
#include <vector>

namespace confab::app {

// Selects the models among the files below a folder, as files_in() returns them: GGUF files, and
// folders that hold a language model in safetensors files, sorted by path. Such a folder has its
// weights beside a config.json whose class writes text ("...ForCausalLM",
// "...ForConditionalGeneration"), whether or not that class can be run. Left out are embedding
// models (of sentence-transformers), the parts of a pipeline (of diffusers), and folders that also
// hold the model as a GGUF file, which is listed instead.
std::vector<std::filesystem::path> models_among(const std::vector<std::filesystem::path>& files);
// The same for the files in a folder and `depth` levels below it.
std::vector<std::filesystem::path> models_in(const std::filesystem::path& folder, int depth);

// The files that hold the weights of such a folder according to its index, sorted, whether or not
// they exist. Empty if nothing says which they are.
std::vector<std::filesystem::path> weight_files(const std::filesystem::path& folder);

}  // namespace confab::app
