// SPDX-License-Identifier: MIT
// The quantised tensors of a folder: tensors of codes, joined with the separate tensors that hold
// their scales, as config.json describes them. Sources: transformers, FineGrainedFP8Config ("fp8")
// and Mxfp4Config ("mxfp4"); compressed-tensors, QuantizationConfig; MLX's mlx_lm/utils.py
// ("quantization").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/safetensors/json_file.h"
#include "engine/safetensors/safetensors_file.h"
#include "kernels/side_scales.h"

namespace confab::engine {

struct MlxGroups {
  std::int64_t bits = 4;         // per code: 4 or 8
  std::int64_t group_size = 64;  // codes that share a scale and a bias: 32, 64 or 128
};

// How config.json says that the weights are quantised.
struct QuantizationConfig {
  enum class Kind { none, fp8, mlx, mxfp4 };
  Kind kind = Kind::none;
  MlxGroups groups;
  std::map<std::string, MlxGroups, std::less<>> of_modules;  // modules whose groups differ
  // For FP8: the rows and columns that share a scale. 0: scales are per row or per tensor.
  std::int64_t block_rows = 0, block_cols = 0;

  const MlxGroups& groups_of(std::string_view module) const;  // "model.layers.0.mlp.up_proj"
};

// config: the whole config.json. Throws ModelError if the format cannot be run.
QuantizationConfig read_quantization(const JsonFields& config);

// The matrix that a tensor of codes stands for.
struct CodedTensor {
  kernels::Dtype dtype;             // a type with side scales
  std::vector<std::int64_t> shape;  // in weights, outermost first
  kernels::SideScales side;         // borrowed from the tensors' data
};

class SideTensors {
 public:
  // All arguments must outlive the object.
  SideTensors(const std::string& folder, const std::vector<SafeTensor>& tensors,
              const QuantizationConfig& config);

  // Returns true if the tensor holds no weights but describes another tensor that does.
  bool is_beside_another(const SafeTensor& tensor) const;
  // Returns nullopt if the tensor does not hold codes. Throws ModelError if its scales are missing
  // or do not fit its shape.
  std::optional<CodedTensor> find_codes(const SafeTensor& tensor) const;

 private:
  CodedTensor join_mlx(const SafeTensor& tensor, const std::string& module) const;
  CodedTensor join_fp8(const SafeTensor& tensor) const;
  CodedTensor join_mxfp4(const SafeTensor& tensor, const std::string& module) const;
  // Handles scales shared by blocks of rows and columns.
  void set_blocks(const SafeTensor& tensor, const SafeTensor& scales, CodedTensor& coded) const;
  const SafeTensor* find(std::string_view name) const;
  // Finds a tensor of a type that scales may have. If `shape` is not empty, the tensor must have
  // it.
  const SafeTensor& numbers(const SafeTensor& tensor, const std::string& name,
                            const std::vector<std::int64_t>& shape) const;
  [[noreturn]] void fail(const SafeTensor& tensor, const std::string& what) const;

  const std::string& folder_;
  const QuantizationConfig& config_;
  std::map<std::string_view, const SafeTensor*> tensors_;
};

}  // namespace confab::engine
