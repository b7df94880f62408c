// SPDX-License-Identifier: MIT
// Fields of config.json on their way to keys of GGUF, whose names are those of one architecture.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/gguf/gguf_header.h"
#include "engine/safetensors/json_file.h"

namespace confab::engine {

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

}  // namespace confab::engine
