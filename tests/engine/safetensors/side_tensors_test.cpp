// SPDX-License-Identifier: MIT
#include "engine/safetensors/side_tensors.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/model/weights_digest.h"
#include "engine/safetensors/open_model.h"
#include "tests/engine/error_of.h"
#include "tests/engine/safetensors/packed_folder.h"
#include "tests/engine/safetensors/twin_logits.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

const Twin kLlama{.of = "LlamaForCausalLM", .architecture = "llama", .neighbours = true};
const Twin kQwen3{.of = "Qwen3ForCausalLM", .architecture = "qwen3", .head_norms = true};
const Twin kMixture{
    .of = "Qwen3MoeForCausalLM", .architecture = "qwen3moe", .head_norms = true, .n_expert = 4};
const Twin kStacked{.of = "Qwen3MoeForCausalLM",
                    .architecture = "qwen3moe",
                    .head_norms = true,
                    .n_expert = 4,
                    .stacked = true};
const Twin kGemma{
    .of = "Gemma3ForCausalLM", .architecture = "gemma3", .head_norms = true, .gemma = true};
const Twin kFused{.of = "Phi3ForCausalLM", .architecture = "phi3", .fused = true};

const Packing kMlx4{.name = "Mlx4"};
const Packing kMlx8{.name = "Mlx8", .bits = 8, .numbers = "F16"};
// Blocks that are neither a part of a head nor of the rows of a matrix, as 128 may be.
const Packing kBlocks{.name = "Fp8Blocks", .fp8 = true, .rows = 20, .cols = 64};
const Packing kStackBlocks{.name = "Fp8Blocks", .fp8 = true, .rows = 32, .cols = 64};
const Packing kRows{.name = "Fp8Rows", .fp8 = true, .rows = 1, .cols = 1 << 20};
const Packing kWhole{.name = "Fp8Whole", .fp8 = true, .rows = 0, .cols = 1 << 20, .numbers = "F32"};

// A folder with codes, and a file with what they stand for.
class PackedTwins {
 public:
  PackedTwins(const Twin& twin, const Packing& packing) {
    twin_file(twin).write(file());
    write_packed_folder(dir_, file(), twin, packing);
  }
  std::string file() const { return (dir_ / "twin.gguf").string(); }
  std::string folder() const { return dir_.path().string(); }
  const TempDir& dir() const { return dir_; }

 private:
  TempDir dir_;
};

struct Case {
  Twin twin;
  Packing packing;
};

class SideTensorsTest : public testing::TestWithParam<Case> {};

TEST_P(SideTensorsTest, LogitsAreThoseOfWhatTheCodesStandFor) {
  const PackedTwins twins(GetParam().twin, GetParam().packing);
  const std::vector<float> want = logits_of(Gguf(twins.file())),
                           got = logits_of(open_model_folder(twins.folder()));
  // Where a head's rows are in another order, its products are summed in another order.
  if (GetParam().twin.neighbours) {
    EXPECT_LT(distance(got, want), 1e-5);
  } else {
    EXPECT_TRUE(same_bits(got, want)) << distance(got, want);
  }
}

TEST_P(SideTensorsTest, AGgufMadeOfItIsThatOfWhatTheCodesStandFor) {
  const PackedTwins twins(GetParam().twin, GetParam().packing);
  const auto made_of = [&](Gguf gguf, const char* name) {
    const std::string path = (twins.dir() / name).string();
    quantize(std::move(gguf), path, "Q8_0");
    return Gguf(path);
  };
  const Gguf got = made_of(open_model_folder(twins.folder()), "got.gguf"),
             want = made_of(Gguf(twins.file()), "want.gguf");
  ASSERT_EQ(got.tensors().size(), want.tensors().size());
  for (const GgufTensor& tensor : want.tensors()) {
    const GgufTensor* other = got.find_tensor(tensor.name);
    ASSERT_NE(other, nullptr) << tensor.name;
    EXPECT_EQ(other->dtype, tensor.dtype) << tensor.name;
    EXPECT_EQ(other->shape, tensor.shape);
    EXPECT_TRUE(std::ranges::equal(other->data, tensor.data)) << tensor.name;
  }
}

std::string case_name(const testing::TestParamInfo<Case>& tested) {
  const Twin& twin = tested.param.twin;
  return twin.of + (twin.stacked ? "Stacked" : "") + tested.param.packing.name;
}

INSTANTIATE_TEST_SUITE_P(
    All, SideTensorsTest,
    testing::Values(Case{kLlama, kMlx4}, Case{kQwen3, kMlx4}, Case{kQwen3, kMlx8},
                    Case{kGemma, kMlx4}, Case{kFused, kMlx8}, Case{kStacked, kMlx4},
                    Case{kLlama, kRows}, Case{kQwen3, kBlocks}, Case{kFused, kBlocks},
                    Case{kMixture, kBlocks}, Case{kMixture, kRows}, Case{kQwen3, kWhole},
                    Case{kStacked, kStackBlocks}, Case{kStacked, kRows}, Case{kStacked, kWhole}),
    case_name);

// The experts of a layer as transformers 5 has them: names without an ending (its FP8Experts).
TEST(PackedFolderTest, StacksOfExpertsHaveTheirScalesBesideThem) {
  const std::string name = "model.layers.0.mlp.experts.gate_up_proj", folder = "m";
  const std::string data(4096, '\0');
  const auto bytes = std::as_bytes(std::span(data));
  QuantizationConfig config;
  config.kind = QuantizationConfig::Kind::fp8;
  config.block_rows = 4;
  config.block_cols = 32;
  const auto with_rows = [&](std::int64_t n, std::int64_t n_scales) {
    return std::vector<SafeTensor>{
        {name, "F8_E4M3", {2, n, 64}, bytes.first(static_cast<std::size_t>(2 * n * 64))},
        {name + "_scale_inv", "F32", {2, n_scales, 2}, bytes.first(2 * 2 * 2 * 4)}};
  };
  const std::vector<SafeTensor> tensors = with_rows(8, 2), ragged = with_rows(6, 2);
  const SideTensors sides(folder, tensors, config);
  EXPECT_FALSE(sides.is_beside_another(tensors[0]));
  EXPECT_TRUE(sides.is_beside_another(tensors[1]));
  const auto coded = sides.find_codes(tensors[0]);
  ASSERT_TRUE(coded);
  EXPECT_EQ(coded->shape, tensors[0].shape);
  EXPECT_EQ(coded->side.group_rows, 4);
  EXPECT_EQ(coded->side.n_per_row, 2);
  EXPECT_EQ(error_of([&] { SideTensors(folder, ragged, config).find_codes(ragged[0]); }),
            "m: tensor " + name +
                " has matrices of 6 rows, expected whole blocks of 4; use a GGUF file of the "
                "model");
}

TEST(PackedFolderTest, CodesAndScalesStayInTheFile) {
  const PackedTwins twins(kQwen3, kMlx4);
  const Gguf gguf = open_model_folder(twins.folder());
  const std::string file = read_file(gguf.part_paths()[0]);
  const GgufTensor* up = gguf.find_tensor("blk.1.ffn_up.weight");
  ASSERT_NE(up, nullptr);
  EXPECT_EQ(up->dtype, kernels::Dtype::MLX4);
  EXPECT_EQ(up->shape, (std::vector<std::int64_t>{kTwinEmbd, kTwinFf}));
  EXPECT_EQ(up->data.size(), kTwinEmbd * kTwinFf / 2);
  EXPECT_EQ(up->n_bytes(), up->data.size() + kTwinEmbd / 32 * kTwinFf * 2 * 2);
  // As in the file: what the file becomes shows in all three.
  const std::byte before = up->side.biases[0];
  std::string changed = file;
  const auto at = file.find({reinterpret_cast<const char*>(up->side.biases), 64});
  ASSERT_NE(at, file.npos);
  changed[at] ^= 1;
  std::fstream(gguf.part_paths()[0], std::ios::in | std::ios::out | std::ios::binary)
      .write(changed.data(), static_cast<std::streamsize>(changed.size()));
  EXPECT_EQ(up->side.biases[0], before ^ std::byte{1});
}

TEST(PackedFolderTest, ScalesAreAPartOfTheDigest) {
  const PackedTwins twins(kQwen3, kMlx4);
  const auto digest = [&] {
    const Gguf gguf = open_model_folder(twins.folder());
    kernels::ThreadPool pool(1);
    WeightsDigest weights(gguf, pool);
    while (!weights.done()) weights.step();
    return weights.hex();
  };
  const std::string before = digest();
  const std::string path = (twins.dir() / "model.safetensors").string();
  std::string file = read_file(path);
  for (const char* kind : {"scales", "biases"}) {
    const Gguf gguf = open_model_folder(twins.folder());
    const GgufTensor* q = gguf.find_tensor("blk.0.attn_q.weight");
    const std::byte* data = kind == std::string("scales") ? q->side.scales : q->side.biases;
    std::string changed = file;
    changed[file.find({reinterpret_cast<const char*>(data), 64})] ^= 1;
    write_file(path, changed);
    EXPECT_NE(digest(), before) << kind;
    write_file(path, file);
  }
  EXPECT_EQ(digest(), before);
}

TEST(PackedFolderTest, AModuleMayHaveGroupsOfItsOwn) {
  const PackedTwins twins(kQwen3, kMlx4);
  nlohmann::json config = packed_config(kQwen3, kMlx4);
  config["quantization"]["model.layers.0.self_attn.q_proj"] = {{"bits", 8}, {"group_size", 32}};
  config["quantization"]["lm_head"] = false;  // not quantised; what the file has counts
  twins.dir().file("config.json", config.dump());
  // The same bytes are half as many codes of 8 bits.
  EXPECT_THAT(error_of([&] { open_model_folder(twins.folder()); }),
              HasSubstr("tensor model.layers.0.self_attn.q_proj.scales has shape [64, 2], "
                        "expected [64, 1]"));
}

// The folder with one tensor in place of one of its own, or without that.
std::string error_with(const PackedTwins& twins, const std::string& name, const std::string& dtype,
                       const std::vector<std::int64_t>& shape) {
  const std::string path = (twins.dir() / "model.safetensors").string();
  const std::string before = read_file(path);
  {
    const MappedFile file(path);
    SafetensorsWriter writer;
    for (const SafeTensor& tensor : read_safetensors(path, file.bytes())) {
      if (tensor.name == name) continue;
      writer.add(tensor.name, tensor.dtype, tensor.shape,
                 {reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()});
    }
    std::size_t n = dtype == "F32" ? 4 : dtype == "F16" || dtype == "BF16" ? 2 : 1;
    for (const std::int64_t dim : shape) n *= static_cast<std::size_t>(dim);
    if (!dtype.empty()) writer.add(name, dtype, shape, std::string(n, '\0'));
    write_file(path + ".new", writer.bytes());
  }
  std::filesystem::rename(path + ".new", path);
  const std::string error = error_of([&] { open_model_folder(twins.folder()); });
  write_file(path, before);
  return error;
}

TEST(PackedFolderTest, ScalesThatDoNotFitAreNamed) {
  const PackedTwins mlx(kQwen3, kMlx4);
  const std::string up = "model.layers.1.mlp.up_proj";
  EXPECT_EQ(error_with(mlx, up + ".scales", "", {}),
            mlx.folder() + ": tensor " + up + ".weight has no " + up +
                ".scales beside it; download the model again");
  EXPECT_THAT(error_with(mlx, up + ".biases", "BF16", {96, 3}),
              HasSubstr(up + ".biases has shape [96, 3], expected [96, 2]"));
  EXPECT_THAT(error_with(mlx, up + ".biases", "F16", {96, 2}),
              HasSubstr(up + ".biases has type F16, expected BF16 as the scales"));
  EXPECT_THAT(error_with(mlx, up + ".scales", "U8", {96, 2}),
              HasSubstr(up + ".scales has type U8, expected F32, F16 or BF16"));
  const PackedTwins blocks(kQwen3, kBlocks);
  EXPECT_THAT(error_with(blocks, up + ".weight_scale_inv", "", {}),
              HasSubstr("has no " + up + ".weight_scale beside it"));
  EXPECT_THAT(error_with(blocks, up + ".weight_scale_inv", "BF16", {4, 1}),
              HasSubstr(up + ".weight_scale_inv has shape [4, 1], expected [5, 1]"));
  const PackedTwins rows(kQwen3, kRows);
  EXPECT_THAT(error_with(rows, up + ".weight_scale", "BF16", {5, 1}),
              HasSubstr("has shape [5, 1], expected one number for all rows, or one a row"));
  // Scales without the weights that they are for belong to something that is not known.
  EXPECT_THAT(error_with(mlx, "model.layers.1.mlp.other.scales", "BF16", {96, 2}),
              HasSubstr("model.layers.1.mlp.other.scales would be ignored"));
}

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
