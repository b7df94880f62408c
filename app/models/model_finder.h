// SPDX-License-Identifier: MIT
// GGUF files that are on this machine already, in the places where programs keep them. Nothing is
// copied or changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/error.h"

namespace confab::app {

struct FoundModel {
  std::string name;  // "llama3.2:3b" of Ollama's, "org/repo/file.gguf" of a hub's, else the file's
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  bool operator==(const FoundModel&) const = default;
};

// Beside `current` (a model's file), in $XDG_DATA_HOME/confab/models, the bundled one, and in the
// caches of llama.cpp, Hugging Face's hub, Ollama and LM Studio, at the places that their
// environment variables name. Sorted by name; a file that is found twice is listed once. Projectors
// and all shards of a model but the first are left out. At most 1000.
std::vector<FoundModel> find_models(const std::filesystem::path& current);

// The file whose model calls itself so, as ModelInfo and the database have it; nullopt: none of
// them. Files are opened until it is found: a hundred at most.
std::optional<std::string> file_of_model_called(const std::string& name,
                                                const std::vector<FoundModel>& models);

// A file of that path, or the model of that name, or the only one whose name has it as a part.
// Throws NoModelError.
std::string path_of_model(const std::string& name, const std::vector<FoundModel>& models);
// To be thrown for a name, or a path, behind which nothing is.
NoModelError no_model(const std::string& name);

}  // namespace confab::app
