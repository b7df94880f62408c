// SPDX-License-Identifier: MIT
// Ollama's models: manifests/HOST/NAMESPACE/MODEL/TAG name layers, which are blobs/sha256-HEX.
// https://github.com/ollama/ollama/blob/main/types/model/name.go
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/stores/places.h"
#include "app/stores/store_file.h"

namespace confab::app {

struct OllamaModel {
  // As Ollama shows it: without the host and the namespace that are its defaults.
  std::string name;  // "llama3.2:3b", "hf.co/org/repo:Q4_K_M"; untrusted text
  std::filesystem::path weights;
  std::vector<std::filesystem::path> projectors = {};
  std::vector<std::filesystem::path> drafts = {};
  // Empty: it has none.
  std::filesystem::path system = {};         // text
  std::filesystem::path params = {};         // JSON
  std::filesystem::path chat_template = {};  // of Go's text/template
  bool has_adapter = false;                  // it is its weights with others added to them
};

// OLLAMA_MODELS, ~/.ollama/models, and that of the service, which others may not look into.
std::vector<std::filesystem::path> ollama_folders(const Places& places);

// Of these folders, those that have weights here: not what runs in the cloud, is an adapter alone,
// is not a GGUF file or is not whole.
std::vector<OllamaModel> ollama_models(const Places& places);
// Their files; a system prompt and parameters make a variant of the weights. What has an adapter is
// not among them: its weights alone are another model.
std::vector<StoreFile> ollama_files(const std::vector<OllamaModel>& models);

}  // namespace confab::app
