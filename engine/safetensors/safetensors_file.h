// SPDX-License-Identifier: MIT
// The header of a .safetensors file: its tensors and where they lie. Each number is checked before
// it is used. Source: https://github.com/huggingface/safetensors, README, "Format".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/gguf/mapped_file.h"
#include "kernels/dtype.h"

namespace confab::engine {

struct SafeTensor {
  std::string name;                 // not empty
  std::string dtype;                // as in the file; always a known type: "BF16"
  std::vector<std::int64_t> shape;  // outermost first; empty: a scalar
  std::span<const std::byte> data;

  std::int64_t n_elements() const noexcept;
  // nullopt unless the type is F32, F16 or BF16.
  std::optional<kernels::Dtype> number_type() const noexcept;
};

// Returns the tensors of a file, sorted by the position of their data. The data lies within `bytes`
// and does not overlap. The spans borrow from `bytes`. Throws ModelError "PATH: ...".
std::vector<SafeTensor> read_safetensors(const std::string& path, std::span<const std::byte> bytes);

// The weights of a folder: model.safetensors, or the shards named by model.safetensors.index.json.
struct WeightFiles {
  std::vector<std::string> paths;
  std::vector<MappedFile> files;
  std::vector<SafeTensor> tensors;  // of all files, whose data they borrow
};

// Throws ModelError if a file is missing, damaged or outside the folder, or lacks tensors that the
// index promises.
WeightFiles open_weights(const std::string& folder);

}  // namespace confab::engine
