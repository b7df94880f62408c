// SPDX-License-Identifier: MIT
// The weights of a folder: model.safetensors, or the shards that model.safetensors.index.json
// names.
#pragma once

#include <string>
#include <vector>

#include "engine/gguf/mapped_file.h"
#include "engine/safetensors/safetensors_file.h"

namespace confab::engine {

struct WeightFiles {
  std::vector<std::string> paths;
  std::vector<MappedFile> files;
  std::vector<SafeTensor> tensors;  // of all files; data borrowed from these
};

// Throws ModelError: a file is missing, damaged or outside of the folder, or has not the tensors
// that the index says.
WeightFiles open_weights(const std::string& folder);

}  // namespace confab::engine
