// SPDX-License-Identifier: MIT
// Folders of Hugging Face's models, told by the names of their files and their config.json: nothing
// else of them is read.
#pragma once

#include <filesystem>
#include <vector>

namespace confab::app {

// Of the files below a folder, as files_in() gives them: the GGUF files, and the folders that have
// a model of language in safetensors files, sorted by path. Such a folder has its weights beside a
// config.json whose class writes text ("...ForCausalLM", "...ForConditionalGeneration"), whether or
// not that class can be run. Left out are models of vectors (of sentence-transformers) and the
// parts of a pipeline (of diffusers), and a folder that has a model as GGUF file too: it is that.
std::vector<std::filesystem::path> models_among(const std::vector<std::filesystem::path>& files);
// The same of the files in a folder and `depth` folders below it.
std::vector<std::filesystem::path> models_in(const std::filesystem::path& folder, int depth);

// The files that the weights of such a folder are said to be in, sorted, whether or not they are
// there; empty: nobody says.
std::vector<std::filesystem::path> weight_files(const std::filesystem::path& folder);

}  // namespace confab::app
