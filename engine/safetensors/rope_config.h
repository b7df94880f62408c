// SPDX-License-Identifier: MIT
// How config.json says that positions are rotated, under GGUF's keys and as GGUF's tensors.
#pragma once

#include <string>
#include <vector>

#include "engine/gguf/gguf_header.h"
#include "engine/safetensors/json_file.h"

namespace confab::engine {

struct NamedVector {
  std::string name;  // of a tensor: "rope_freqs.weight"
  std::vector<float> values;
};

struct RopeSizes {
  std::string_view architecture;  // of GGUF
  std::uint32_t head_dim;
  std::uint32_t n_ctx;
};

// Adds the keys, and gives the tensors that belong to them. Throws ModelError for a kind of scaling
// that is not supported.
std::vector<NamedVector> add_rope(const JsonFields& config, const RopeSizes& sizes,
                                  GgufHeader& keys);

}  // namespace confab::engine
