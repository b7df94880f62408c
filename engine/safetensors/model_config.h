// SPDX-License-Identifier: MIT
// Reads config.json: the architecture of a model, and its sizes under GGUF's keys. The mapping
// follows llama.cpp's converter (conversion/; for mixtures base.py, qwen.py, deepseek.py).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gguf/gguf_header.h"
#include "engine/safetensors/json_file.h"
#include "engine/safetensors/rope_config.h"
#include "engine/safetensors/side_tensors.h"

namespace confab::engine {

// Properties that distinguish the supported model families.
struct ModelFamily {
  std::string_view of;            // as in "architectures": "LlamaForCausalLM"
  std::string_view architecture;  // GGUF's: "llama"
  std::string_view activation = "silu";
  std::string_view epsilon = "rms_norm_eps";  // field name; any other implies LayerNorm
  bool neighbours = false;     // its GGUF files have rotated pairs side by side (row_order.h)
  bool shifted_norms = false;  // stored norm weights are one less than the true weights
  bool post_norms = false;     // post_attention_layernorm is post_attention_norm, not ffn_norm
  bool tied = false;           // the embedding is also the output unless the file says otherwise
  bool columns_first = false;  // experts are [columns, rows] unless they are MXFP4
  bool sums_to_one = true;     // the weights of a token's experts sum to 1
};

struct ModelConfig {
  const ModelFamily* family;
  bool tied = false;  // the embedding is also the output, whatever other tensors exist
  std::vector<NamedVector> vectors;  // tensors derived from the configuration
  QuantizationConfig quantization{};
  int n_layer = 0;  // layers after these predict further tokens
};

// path: the file. Throws ModelError if the architecture is not supported (the message lists those
// that are), the weights have an unsupported format, or a field is missing or makes no sense.
ModelConfig read_model_config(const std::string& path, const Json& config, GgufHeader& keys);

// Copies fields of config.json to GGUF keys of one architecture. Borrows all arguments. Key names
// are given without the architecture: "block_count".
class ConfigKeys {
 public:
  ConfigKeys(std::string_view architecture, const JsonFields& config, GgufHeader& keys)
      : architecture_(architecture), config_(config), keys_(keys) {}

  std::string_view architecture() const noexcept { return architecture_; }
  const JsonFields& config() const noexcept { return config_; }
  GgufHeader& keys() const noexcept { return keys_; }

  std::string key(std::string_view name) const {
    return std::string(architecture_) + '.' + std::string(name);
  }
  void add(std::string_view name, std::uint32_t value) const { keys_.add(key(name), value); }
  void add_float(std::string_view name, double value) const {
    keys_.add_float(key(name), static_cast<float>(value));
  }
  // Returns the field's value. Throws ModelError if it is missing.
  std::uint32_t copy_count(std::string_view field, std::string_view name) const {
    const std::uint32_t value = config_.count(field);
    add(name, value);
    return value;
  }
  // Copies the field if it is present and not 0.
  void copy_natural(std::string_view field, std::string_view name) const {
    if (config_.find_int(field).value_or(0) != 0) copy_count(field, name);
  }
  // Copies the field if it is present.
  void copy_number(std::string_view field, std::string_view name) const {
    if (const auto value = config_.find_number(field)) add_float(name, *value);
  }

 private:
  std::string_view architecture_;
  const JsonFields& config_;
  GgufHeader& keys_;
};

// Adds the keys of a mixture of experts if config.json describes one. Throws ModelError if the
// mixture cannot be run.
void add_mixture(const ModelFamily& family, const ConfigKeys& to);

}  // namespace confab::engine
