// SPDX-License-Identifier: MIT
#include "engine/safetensors/side_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

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

// Reads the size of a block, [rows, columns], if present.
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

// compressed-tensors has groups of modules, each with its own scheme.
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
  // MLX writes the same object under both names.
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

namespace {

using kernels::Dtype;
using Kind = QuantizationConfig::Kind;

constexpr std::string_view kWeight = ".weight";
constexpr std::string_view kBlocks = "_blocks", kScales = "_scales";  // name endings of MXFP4

// "model.layers.0.mlp.up_proj" for "model.layers.0.mlp.up_proj.scales"; empty if the ending
// differs.
std::string module_of(std::string_view name, std::string_view ending) {
  if (!name.ends_with(ending)) return {};
  return std::string(name.substr(0, name.size() - ending.size()));
}

}  // namespace

SideTensors::SideTensors(const std::string& folder, const std::vector<SafeTensor>& tensors,
                         const QuantizationConfig& config)
    : folder_(folder), config_(config) {
  for (const SafeTensor& tensor : tensors) tensors_.emplace(tensor.name, &tensor);
}

const SafeTensor* SideTensors::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : found->second;
}

void SideTensors::fail(const SafeTensor& tensor, const std::string& what) const {
  throw ModelError(fmt::format("{}: tensor {} {}", folder_, printable(tensor.name), what));
}

bool SideTensors::is_beside_another(const SafeTensor& tensor) const {
  const auto is_beside = [&](std::string_view ending, std::string_view dtype) {
    const std::string module = module_of(tensor.name, ending);
    const SafeTensor* weight = module.empty() ? nullptr : find(module + std::string(kWeight));
    return weight != nullptr && weight->dtype == dtype;
  };
  if (config_.kind == Kind::mlx) return is_beside(".scales", "U32") || is_beside(".biases", "U32");
  if (config_.kind == Kind::none) return false;
  if (config_.kind == Kind::mxfp4) {
    const std::string module = module_of(tensor.name, kScales);
    return !module.empty() && find(module + std::string(kBlocks)) != nullptr;
  }
  // Activations and the cache are not rounded to 8 bits here, so their scales are not needed.
  if (tensor.name.ends_with(".k_scale") || tensor.name.ends_with(".v_scale")) return true;
  for (const std::string_view ending : {"_scale_inv", "_scale"}) {
    const std::string name = module_of(tensor.name, ending);
    const SafeTensor* weights = name.empty() ? nullptr : find(name);
    if (weights != nullptr && weights->dtype == "F8_E4M3") return true;
  }
  return is_beside(".input_scale", "F8_E4M3") || is_beside(".output_scale", "F8_E4M3");
}

std::optional<CodedTensor> SideTensors::find_codes(const SafeTensor& tensor) const {
  if (tensor.shape.size() < 2) return std::nullopt;
  if (config_.kind == Kind::fp8 && tensor.dtype == "F8_E4M3") return join_fp8(tensor);
  if (config_.kind == Kind::mxfp4 && tensor.name.ends_with(kBlocks))
    return join_mxfp4(tensor, module_of(tensor.name, kBlocks));
  const std::string module = module_of(tensor.name, kWeight);
  if (module.empty() || config_.kind != Kind::mlx || tensor.dtype != "U32") return std::nullopt;
  return join_mlx(tensor, module);
}

const SafeTensor& SideTensors::numbers(const SafeTensor& tensor, const std::string& name,
                                       const std::vector<std::int64_t>& shape) const {
  const SafeTensor* found = find(name);
  if (found == nullptr)
    fail(tensor, fmt::format("has no {} beside it; download the model again", printable(name)));
  if (!found->number_type())
    fail(*found, fmt::format("has type {}, expected F32, F16 or BF16", found->dtype));
  if (!shape.empty() && found->shape != shape)
    fail(*found, fmt::format("has shape {}, expected {}", found->shape, shape));
  return *found;
}

CodedTensor SideTensors::join_mlx(const SafeTensor& tensor, const std::string& module) const {
  const MlxGroups& groups = config_.groups_of(module);
  CodedTensor coded{groups.bits == 4 ? Dtype::MLX4 : Dtype::MLX8, tensor.shape, {}};
  const std::int64_t n_cols = coded.shape.back() *= 32 / groups.bits;
  if (n_cols % groups.group_size != 0) {
    fail(tensor,
         fmt::format("has rows of {} weights, expected groups of {}", n_cols, groups.group_size));
  }
  std::vector<std::int64_t> shape = coded.shape;
  shape.back() /= groups.group_size;
  const SafeTensor& scales = numbers(tensor, module + ".scales", shape);
  const SafeTensor& biases = numbers(tensor, module + ".biases", shape);
  if (scales.dtype != biases.dtype)
    fail(biases, fmt::format("has type {}, expected {} as the scales", biases.dtype, scales.dtype));
  coded.side = {.scales = scales.data.data(),
                .biases = biases.data.data(),
                .dtype = *scales.number_type(),
                .group_cols = groups.group_size,
                .n_per_row = shape.back()};
  return coded;
}

// Joins blocks of 16 bytes with their scales, [any, n_rows, blocks per row].
CodedTensor SideTensors::join_mxfp4(const SafeTensor& tensor, const std::string& module) const {
  const std::string name = module + std::string(kScales);
  const SafeTensor* scales = find(name);
  if (scales == nullptr)
    fail(tensor, fmt::format("has no {} beside it; download the model again", printable(name)));
  if (tensor.dtype != "U8" || tensor.shape.size() != 4 || tensor.shape.back() != 16) {
    fail(tensor, fmt::format("has type {} and shape {}, expected U8 in blocks of 16", tensor.dtype,
                             tensor.shape));
  }
  std::vector<std::int64_t> shape(tensor.shape.begin(), tensor.shape.end() - 1);
  if (scales->dtype != "U8" || scales->shape != shape) {
    fail(*scales, fmt::format("has type {} and shape {}, expected U8 and {}", scales->dtype,
                              scales->shape, shape));
  }
  const std::int64_t n_blocks = shape.back();
  shape.back() *= 32;
  return {Dtype::E2M1,
          std::move(shape),
          {.scales = scales->data.data(),
           .dtype = Dtype::E8M0,
           .group_cols = 32,
           .n_per_row = n_blocks}};
}

CodedTensor SideTensors::join_fp8(const SafeTensor& tensor) const {
  if (tensor.shape.size() > 3)
    fail(tensor, fmt::format("has shape {}, expected a matrix or a stack of them", tensor.shape));
  const std::string inverse = tensor.name + "_scale_inv";
  const SafeTensor& scales =
      numbers(tensor, find(inverse) != nullptr ? inverse : tensor.name + "_scale", {});
  const bool is_stack = tensor.shape.size() == 3;
  const std::int64_t n_matrices = is_stack ? tensor.shape[0] : 1;
  const std::int64_t n_rows = tensor.shape[tensor.shape.size() - 2], n_cols = tensor.shape.back();
  CodedTensor coded{Dtype::F8_E4M3, tensor.shape, {}};
  coded.side = {.scales = scales.data.data(),
                .dtype = *scales.number_type(),
                .group_rows = n_rows,
                .group_cols = n_cols,
                .n_per_row = 1};
  if (scales.n_elements() == 1) {
    coded.side.group_rows = n_matrices * n_rows;
    return coded;
  }
  if (is_stack && scales.n_elements() == n_matrices) return coded;
  coded.side.group_rows = 1;
  if (scales.n_elements() == n_matrices * n_rows && scales.shape.front() == tensor.shape[0])
    return coded;
  set_blocks(tensor, scales, coded);
  return coded;
}

void SideTensors::set_blocks(const SafeTensor& tensor, const SafeTensor& scales,
                             CodedTensor& coded) const {
  if (config_.block_rows == 0) {
    fail(scales,
         fmt::format("has shape {}, expected one number for all rows, or one a row", scales.shape));
  }
  const auto blocks = [](std::int64_t n, std::int64_t block) { return (n + block - 1) / block; };
  std::vector<std::int64_t> shape = tensor.shape;
  std::int64_t& n_rows = shape[shape.size() - 2];
  if (shape.size() > 2 && n_rows % config_.block_rows != 0) {
    fail(tensor, fmt::format("has matrices of {} rows, expected whole blocks of {}; use a GGUF "
                             "file of the model",
                             n_rows, config_.block_rows));
  }
  n_rows = blocks(n_rows, config_.block_rows);
  shape.back() = blocks(shape.back(), config_.block_cols);
  coded.side.group_rows = config_.block_rows;
  coded.side.group_cols = config_.block_cols;
  coded.side.n_per_row = shape.back();
  numbers(tensor, scales.name, shape);
}

}  // namespace confab::engine
