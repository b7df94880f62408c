// SPDX-License-Identifier: MIT
// config.json: which architecture a model has, and its sizes under GGUF's keys. Source of what
// becomes which key: llama.cpp's converter (conversion/).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/gguf/gguf_header.h"
#include "engine/safetensors/json_file.h"
#include "engine/safetensors/quantization_config.h"
#include "engine/safetensors/rope_config.h"

namespace confab::engine {

// What differs between the models that can be read.
struct ModelFamily {
  std::string_view of;            // in "architectures": "LlamaForCausalLM"
  std::string_view architecture;  // GGUF's: "llama"
  std::string_view activation = "silu";
  std::string_view epsilon = "rms_norm_eps";  // of norms; another name is of LayerNorms
  bool neighbours = false;     // GGUF files of it have rotated pairs side by side (row_order.h)
  bool shifted_norms = false;  // the weights of norms are one less than what they stand for
  bool post_norms = false;     // post_attention_layernorm has that name in GGUF, too: it is behind
                               // the attention, or has kept the name before the feed-forward
  bool tied = false;           // where nobody says otherwise, the embedding is the output too
  bool columns_first = false;  // unless they are MXFP4, experts are [columns, rows]
  bool sums_to_one = true;     // the weights of the experts of a token do
};

struct ModelConfig {
  const ModelFamily* family;
  bool tied = false;                 // the embedding is the output too, whatever else is there
  std::vector<NamedVector> vectors;  // tensors that follow from the configuration
  QuantizationConfig quantization{};
  int n_layer = 0;  // layers after these guess further tokens
};

// path: of the file. Throws ModelError: an architecture that is not supported (with those that
// are), weights in a format that cannot be run, a field that is missing or makes no sense.
ModelConfig read_model_config(const std::string& path, const Json& config, GgufHeader& keys);

}  // namespace confab::engine
