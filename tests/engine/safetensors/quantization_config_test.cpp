// SPDX-License-Identifier: MIT
#include "engine/safetensors/quantization_config.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;
using Kind = QuantizationConfig::Kind;

QuantizationConfig read(const nlohmann::json& config) {
  const auto json = base::Json::parse(config.dump());
  return read_quantization(JsonFields("c.json", json));
}
std::string error(const nlohmann::json& config) {
  return error_of([&] { read(config); });
}

TEST(QuantizationConfigTest, PlainModelsHaveNone) {
  EXPECT_EQ(read({{"hidden_size", 64}}).kind, Kind::none);
  EXPECT_EQ(read({{"quantization_config", nullptr}}).kind, Kind::none);
}

// mlx_lm writes the same object under both names.
TEST(QuantizationConfigTest, ModulesOfMlxMayDiffer) {
  const nlohmann::json groups = {{"group_size", 64},
                                 {"bits", 4},
                                 {"model.layers.0.mlp.gate", {{"group_size", 32}, {"bits", 8}}},
                                 {"lm_head", false}};
  const QuantizationConfig got = read({{"quantization", groups}, {"quantization_config", groups}});
  EXPECT_EQ(got.kind, Kind::mlx);
  EXPECT_EQ(got.groups_of("model.layers.0.mlp.up_proj").bits, 4);
  EXPECT_EQ(got.groups_of("model.layers.0.mlp.up_proj").group_size, 64);
  EXPECT_EQ(got.groups_of("model.layers.0.mlp.gate").bits, 8);
  EXPECT_EQ(got.groups_of("model.layers.0.mlp.gate").group_size, 32);
}

TEST(QuantizationConfigTest, EightBitFloatsByBlocksRowsOrWhole) {
  const QuantizationConfig blocks =
      read({{"quantization_config", {{"quant_method", "fp8"}, {"weight_block_size", {128, 64}}}}});
  EXPECT_EQ(blocks.kind, Kind::fp8);
  EXPECT_EQ(blocks.block_rows, 128);
  EXPECT_EQ(blocks.block_cols, 64);
  const auto compressed = [](const nlohmann::json& weights) {
    return read({{"quantization_config",
                  {{"quant_method", "compressed-tensors"},
                   {"format", "float-quantized"},
                   {"config_groups", {{"group_0", {{"weights", weights}}}}}}}});
  };
  EXPECT_EQ(compressed({{"strategy", "channel"}}).block_rows, 0);
  EXPECT_EQ(compressed({{"strategy", "block"}, {"block_structure", {128, 128}}}).block_rows, 128);
  EXPECT_EQ(
      read({{"quantization_config", {{"quant_method", "modelopt"}, {"quant_algo", "FP8"}}}}).kind,
      Kind::fp8);
}

TEST(QuantizationConfigTest, OthersAreRefusedByName) {
  const auto mlx = [](const nlohmann::json& groups) { return error({{"quantization", groups}}); };
  EXPECT_THAT(mlx({{"bits", 6}, {"group_size", 64}}),
              HasSubstr("c.json: its weights are quantised (MLX, groups of 64 with 6 bits), which "
                        "this version cannot run from safetensors; use the model that they were "
                        "made from, or a GGUF file of it"));
  EXPECT_THAT(mlx({{"bits", 4}, {"group_size", 16}}), HasSubstr("groups of 16 with 4 bits"));
  EXPECT_THAT(mlx({{"bits", 4}, {"group_size", 32}, {"mode", "mxfp4"}}), HasSubstr("MLX, mxfp4"));
  EXPECT_THAT(mlx({{"bits", 4}, {"group_size", 64}, {"lm_head", {{"bits", 3}}}}),
              HasSubstr("groups of 64 with 3 bits"));
  const auto other = [](const nlohmann::json& fields) {
    return error({{"quantization_config", fields}});
  };
  EXPECT_THAT(other({{"quant_method", "gptq"}}), HasSubstr("quantised (gptq)"));
  EXPECT_THAT(other({{"quant_method", "modelopt"}, {"quant_algo", "NVFP4"}}),
              HasSubstr("quantised (modelopt)"));
  EXPECT_THAT(other({{"quant_method", "compressed-tensors"}, {"format", "pack-quantized"}}),
              HasSubstr("quantised (compressed-tensors, pack-quantized)"));
  EXPECT_THAT(other({{"quant_method", "fp8"}, {"weight_block_size", {128}}}),
              HasSubstr("\"weight_block_size\" is [128], expected rows and columns of a block"));
  EXPECT_THAT(other({{"quant_method", "fp8"}, {"weight_block_size", {128, 20}}}),
              HasSubstr("is [128,20], expected"));
}

TEST(QuantizationConfigTest, Mxfp4NeedsNoMoreThanItsName) {
  EXPECT_EQ(read({{"quantization_config", {{"quant_method", "mxfp4"}}}}).kind, Kind::mxfp4);
}

}  // namespace
}  // namespace confab::engine
