// SPDX-License-Identifier: MIT
// Ollama's models: manifests/HOST/NAMESPACE/MODEL/TAG name the layers, which are blobs/sha256-HEX.
// https://github.com/ollama/ollama/blob/main/types/model/name.go
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/stores/places.h"
#include "app/stores/store_file.h"

namespace confab::app {

struct OllamaModel {
  // The name as Ollama shows it, without the default host and namespace.
  std::string name;  // "llama3.2:3b", "hf.co/org/repo:Q4_K_M"; untrusted text
  std::filesystem::path weights;
  std::vector<std::filesystem::path> projectors = {};
  std::vector<std::filesystem::path> drafts = {};
  // These are empty if the model has none.
  std::filesystem::path system = {};         // text
  std::filesystem::path params = {};         // JSON
  std::filesystem::path chat_template = {};  // a template for Go's text/template
  bool has_adapter = false;                  // the model is its weights plus an adapter
};

// OLLAMA_MODELS, ~/.ollama/models, and the folder of the service, which others may not be allowed
// to read.
std::vector<std::filesystem::path> ollama_folders(const Places& places);

// The models in these folders that have weights here: not those that run in the cloud, are only an
// adapter, are not GGUF files or are incomplete.
std::vector<OllamaModel> ollama_models(const Places& places);
// The files of these models. A system prompt and parameters make a variant of the weights. Models
// with an adapter are left out, because their weights alone are a different model.
std::vector<StoreFile> ollama_files(const std::vector<OllamaModel>& models);

}  // namespace confab::app
