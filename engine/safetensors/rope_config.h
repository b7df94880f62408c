// SPDX-License-Identifier: MIT
// How config.json says that positions are rotated, as GGUF keys and tensors.
#pragma once

#include <string>
#include <vector>

#include "engine/gguf/gguf_header.h"
#include "engine/safetensors/json_file.h"

namespace confab::engine {

struct NamedVector {
  std::string name;  // name of a tensor: "rope_freqs.weight"
  std::vector<float> values;
};

struct RopeSizes {
  std::string_view architecture;  // GGUF's name
  std::uint32_t head_dim;
  std::uint32_t n_ctx;
};

// Adds the keys and returns the tensors that belong to them. Throws ModelError if the kind of
// scaling is not supported.
std::vector<NamedVector> add_rope(const JsonFields& config, const RopeSizes& sizes,
                                  GgufHeader& keys);

}  // namespace confab::engine
