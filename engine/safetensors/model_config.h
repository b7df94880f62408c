// SPDX-License-Identifier: MIT
// config.json: which architecture a model has, and its sizes under GGUF's keys. Source of what
// becomes which key: llama.cpp's converter (conversion/; of mixtures: base.py, qwen.py,
// deepseek.py).
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

// Fields of config.json on their way to keys of GGUF, whose names are those of one architecture.
// Borrows all arguments. Names of keys are without the architecture: "block_count".
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
  // The field's value. ModelError: it is missing.
  std::uint32_t copy_count(std::string_view field, std::string_view name) const {
    const std::uint32_t value = config_.count(field);
    add(name, value);
    return value;
  }
  // Where there is such a field, and it is not 0.
  void copy_natural(std::string_view field, std::string_view name) const {
    if (config_.find_int(field).value_or(0) != 0) copy_count(field, name);
  }
  // Where there is such a field.
  void copy_number(std::string_view field, std::string_view name) const {
    if (const auto value = config_.find_number(field)) add_float(name, *value);
  }

 private:
  std::string_view architecture_;
  const JsonFields& config_;
  GgufHeader& keys_;
};

// Adds what config.json says of a mixture of experts; nothing where the model has none. Throws
// ModelError for mixtures that cannot be run.
void add_mixture(const ModelFamily& family, const ConfigKeys& to);

}  // namespace confab::engine
