// SPDX-License-Identifier: MIT
#include "engine/safetensors/open_model.h"

#include <filesystem>

#include "engine/ollama/ollama_form.h"
#include "engine/safetensors/model_folder.h"

namespace confab::engine {

namespace fs = std::filesystem;

bool is_model_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) && fs::exists(fs::path(path) / "config.json", error);
}

Gguf open_model(const std::string& path) {
  if (is_model_folder(path)) return open_model_folder(path);
  if (path.ends_with(".safetensors") || path.ends_with(".safetensors.index.json")) {
    const fs::path folder = fs::path(path).parent_path();
    return open_model_folder(folder.empty() ? "." : folder.string());
  }
  return in_llama_cpp_form(Gguf(path));
}

}  // namespace confab::engine
