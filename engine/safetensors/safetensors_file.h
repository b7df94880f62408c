// SPDX-License-Identifier: MIT
// The front of a .safetensors file: which tensors it has, and where. Each number of it is checked
// before it is used. Source: https://github.com/huggingface/safetensors, README, "Format".
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
  std::string dtype;                // as the file has it, one that is known: "BF16"
  std::vector<std::int64_t> shape;  // outermost first; empty: one number
  std::span<const std::byte> data;

  std::int64_t n_elements() const noexcept;
  // nullopt: it has not F32, F16 or BF16.
  std::optional<kernels::Dtype> number_type() const noexcept;
};

// The tensors of a file in the order of their data, which are inside of `bytes` and disjoint. The
// spans borrow from `bytes`. Throws ModelError "PATH: ...".
std::vector<SafeTensor> read_safetensors(const std::string& path, std::span<const std::byte> bytes);

// The weights of a folder: model.safetensors, or the shards that model.safetensors.index.json
// names.
struct WeightFiles {
  std::vector<std::string> paths;
  std::vector<MappedFile> files;
  std::vector<SafeTensor> tensors;  // of all files; data borrowed from these
};

// Throws ModelError: a file is missing, damaged or outside of the folder, or has not the tensors
// that the index says.
WeightFiles open_weights(const std::string& folder);

}  // namespace confab::engine
