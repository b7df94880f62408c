// SPDX-License-Identifier: MIT
// How config.json says that the weights are quantised. Sources: transformers, FineGrainedFP8Config
// ("fp8") and Mxfp4Config
// ("mxfp4"); compressed-tensors, QuantizationConfig; MLX's mlx_lm/utils.py ("quantization").
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "engine/safetensors/json_file.h"

namespace confab::engine {

struct MlxGroups {
  std::int64_t bits = 4;         // of a code: 4 or 8
  std::int64_t group_size = 64;  // codes that share a scale and a bias: 32, 64 or 128
};

struct QuantizationConfig {
  enum class Kind { none, fp8, mlx, mxfp4 };
  Kind kind = Kind::none;
  MlxGroups groups;
  std::map<std::string, MlxGroups, std::less<>> of_modules;  // those that have groups of their own
  // Of FP8 the rows and columns that share a scale; 0: scales are for rows, or for all.
  std::int64_t block_rows = 0, block_cols = 0;

  const MlxGroups& groups_of(std::string_view module) const;  // "model.layers.0.mlp.up_proj"
};

// config: of the whole model. Throws ModelError for what cannot be run.
QuantizationConfig read_quantization(const JsonFields& config);

}  // namespace confab::engine
