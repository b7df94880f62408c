// SPDX-License-Identifier: MIT
#include "engine/safetensors/quantization_config.h"

#include <fmt/format.h>

#include "engine/error.h"

namespace confab::engine {
namespace {

[[noreturn]] void refuse(const JsonFields& config, const std::string& method) {
  config.fail(
      fmt::format("its weights are quantised ({}), which this version cannot run from safetensors; "
                  "use the model that they were made from, or a GGUF file of it",
                  printable(method)));
}

MlxGroups read_groups(const JsonFields& config, const JsonFields& fields) {
  const std::string mode = fields.find_text("mode").value_or("affine");
  const MlxGroups groups{fields.find_int("bits").value_or(4),
                         fields.find_int("group_size").value_or(64)};
  const bool known =
      (groups.bits == 4 || groups.bits == 8) &&
      (groups.group_size == 32 || groups.group_size == 64 || groups.group_size == 128);
  if (mode != "affine") refuse(config, "MLX, " + mode);
  if (!known) {
    refuse(config, fmt::format("MLX, groups of {} with {} bits", groups.group_size, groups.bits));
  }
  return groups;
}

QuantizationConfig read_mlx(const JsonFields& config, const JsonFields& fields,
                            const Json& object) {
  QuantizationConfig read{.kind = QuantizationConfig::Kind::mlx,
                          .groups = read_groups(config, fields),
                          .of_modules = {}};
  for (const auto& [module, value] : object.members())
    if (value.is_object())
      read.of_modules.emplace(module, read_groups(config, *fields.find_object(module)));
  return read;
}

// [rows, columns] of a block, or nothing.
void read_block(const JsonFields& fields, std::string_view key, QuantizationConfig& read) {
  const Json* block = fields.find(key);
  if (block == nullptr) return;
  constexpr std::int64_t kMost = 1 << 20;
  const auto side = [&](std::size_t i) {
    const std::int64_t n = block->elements()[i].as_int().value_or(0);
    return n <= kMost ? n : 0;
  };
  const bool is_pair = block->is_array() && block->size() == 2;
  if (!is_pair || side(0) < 1 || side(1) < 32 || side(1) % 32 != 0) {
    fields.fail(fmt::format("\"{}\" is {}, expected rows and columns of a block, columns by 32",
                            key, printable(block->excerpt())));
  }
  read.block_rows = side(0);
  read.block_cols = side(1);
}

// Of compressed-tensors: groups of modules, of which each may have a scheme of its own.
void read_schemes(const JsonFields& config, const JsonFields& fields, QuantizationConfig& read) {
  const std::string format = fields.find_text("format").value_or("");
  const Json* groups = fields.find("config_groups");
  if (format != "float-quantized" || groups == nullptr || !groups->is_object())
    refuse(config, "compressed-tensors, " + format);
  const JsonFields all = *fields.find_object("config_groups");
  for (const auto& [name, group] : groups->members()) {
    const auto scheme = all.find_object(name);
    const auto weights = scheme ? scheme->find_object("weights") : std::nullopt;
    if (weights && weights->find_text("strategy") == "block")
      read_block(*weights, "block_structure", read);
  }
}

}  // namespace

const MlxGroups& QuantizationConfig::groups_of(std::string_view module) const {
  const auto found = of_modules.find(module);
  return found == of_modules.end() ? groups : found->second;
}

QuantizationConfig read_quantization(const JsonFields& config) {
  // MLX writes the same under both names.
  if (const auto mlx = config.find_object("quantization"))
    return read_mlx(config, *mlx, *config.find("quantization"));
  const auto fields = config.find_object("quantization_config");
  if (!fields) return {};
  QuantizationConfig read{.kind = QuantizationConfig::Kind::fp8, .groups = {}, .of_modules = {}};
  const std::string method = fields->find_text("quant_method").value_or("unknown");
  if (method == "compressed-tensors") {
    read_schemes(config, *fields, read);
  } else if (method == "fp8") {
    read_block(*fields, "weight_block_size", read);
  } else if (method == "mxfp4") {
    read.kind = QuantizationConfig::Kind::mxfp4;
  } else if (method != "modelopt" || fields->find_text("quant_algo") != "FP8") {
    refuse(config, method);
  }
  return read;
}

}  // namespace confab::engine
