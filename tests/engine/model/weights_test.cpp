// SPDX-License-Identifier: MIT
#include "engine/model/weights.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "engine/gguf/gguf.h"
#include "engine/model/hparams.h"
#include "tests/engine/error_of.h"
#include "tests/engine/golden_cases.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

class WeightsTest : public testing::Test {
 protected:
  // The error, without the path.
  std::string error(const GgufWriter& writer) {
    const std::string path = folder_ / "m.gguf";
    writer.write(path);
    const std::string message = error_of([&] {
      const Gguf gguf(path);
      Weights::load(gguf, Hparams::load(gguf));
    });
    return message.empty() ? message : message.substr(path.size() + 2);
  }
  static GgufWriter::Tensor& tensor(GgufWriter& writer, const std::string& name) {
    return *std::ranges::find(writer.tensors(), name, &GgufWriter::Tensor::name);
  }

  TemporaryFolder folder_;
};

TEST_F(WeightsTest, BorrowsFromTheFile) {
  const TinyModelFile file({.biases = true});
  const Gguf gguf(file.path());
  const Weights w = Weights::load(gguf, Hparams::load(gguf));
  ASSERT_EQ(w.layers.size(), 2U);
  const LayerWeights& layer = w.layers[1];
  const GgufTensor* tensor = gguf.find_tensor("blk.1.ffn_down.weight");
  EXPECT_EQ(layer.ffn_down.rows.data, tensor->data.data());
  EXPECT_EQ(layer.ffn_down.rows.n_cols, 96);
  EXPECT_EQ(layer.ffn_down.rows.row_bytes, 96 * sizeof(float));
  EXPECT_EQ(layer.ffn_down.n_rows, 64);
  EXPECT_NE(layer.ffn_down.bias, nullptr);
  EXPECT_EQ(layer.attn_k.n_rows, 32);
  EXPECT_EQ(w.output.n_rows, 300);
  EXPECT_NE(w.output.rows.data, w.token_embd.rows.data);
  EXPECT_EQ(w.rope_freqs, nullptr);
}

TEST_F(WeightsTest, ATiedOutputIsTheEmbedding) {
  const TinyModelFile file({.tied = true});
  const Gguf gguf(file.path());
  const Weights w = Weights::load(gguf, Hparams::load(gguf));
  EXPECT_EQ(w.output.rows.data, w.token_embd.rows.data);
  EXPECT_EQ(w.layers[0].attn_q.bias, nullptr);
}

TEST_F(WeightsTest, NamesAnyTensorThatIsMissing) {
  const GgufWriter good = tiny_model();
  ASSERT_EQ(error(good), "");
  for (std::size_t i = 0; i < GgufWriter(good).tensors().size(); ++i) {
    GgufWriter writer = good;
    const std::string name = std::exchange(writer.tensors()[i].name, "unused");
    if (name == "output.weight") continue;  // tied then
    EXPECT_EQ(error(writer), "tensor " + name + " is missing");
  }
}

TEST_F(WeightsTest, NamesTheShapeItWants) {
  GgufWriter writer = tiny_model();
  tensor(writer, "blk.0.attn_k.weight").shape = {32, 64};
  EXPECT_EQ(error(writer), "tensor blk.0.attn_k.weight has shape [32, 64], expected [64, 32]");
  tensor(writer, "blk.0.attn_k.weight").shape = {64, 32, 1, 1};
  EXPECT_EQ(error(writer), "");
  tensor(writer, "output_norm.weight").shape = {32};
  EXPECT_EQ(error(writer), "tensor output_norm.weight has shape [32], expected [64]");
}

// The place of a tensor's dimensions in the bytes of a file: behind its name and their number.
std::size_t dimensions_of(const std::string& bytes, std::string_view name) {
  std::string field(sizeof(std::uint64_t), '\0');
  const std::uint64_t length = name.size();
  std::memcpy(field.data(), &length, sizeof(length));
  const std::size_t at = bytes.find(field.append(name));
  if (at == std::string::npos) throw std::runtime_error("no tensor " + std::string(name));
  return at + field.size() + sizeof(std::uint32_t);
}

class EveryShapeTest : public testing::TestWithParam<GoldenCase> {};

// Whatever an architecture has: each of its tensors with a column, a row or a matrix less.
TEST_P(EveryShapeTest, NamesTheTensorThatDoesNotFit) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.gguf", good = read_text(GetParam().model());
  std::ofstream(path, std::ios::binary) << good;
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto write = [&](std::size_t at, std::int64_t dimension) {
    std::string bytes(sizeof(dimension), '\0');
    std::memcpy(bytes.data(), &dimension, sizeof(dimension));
    file.seekp(static_cast<std::streamoff>(at)).write(bytes.data(), sizeof(dimension)).flush();
  };
  const auto load = [&] {
    const Gguf gguf(path);
    Weights::load(gguf, Hparams::load(gguf));
  };
  const Gguf gguf(GetParam().model().string());
  for (const GgufTensor& tensor : gguf.tensors()) {
    const std::size_t at = dimensions_of(good, tensor.name);
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      if (tensor.shape[i] == 1) continue;
      if (i == 1 && tensor.name == "token_embd.weight") continue;  // the size of the vocabulary
      write(at + i * sizeof(std::int64_t), tensor.shape[i] - 1);
      EXPECT_THAT(error_of(load), testing::HasSubstr("tensor " + std::string(tensor.name) + " "));
      write(at + i * sizeof(std::int64_t), tensor.shape[i]);
    }
  }
  EXPECT_EQ(error_of(load), "");
}

INSTANTIATE_TEST_SUITE_P(, EveryShapeTest, testing::ValuesIn(golden_cases()), [](const auto& test) {
  std::string name = test.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_F(WeightsTest, NormsAndBiasesAreF32) {
  GgufWriter writer = tiny_model();
  tensor(writer, "blk.1.ffn_norm.weight").type = 1;
  EXPECT_EQ(error(writer), "tensor blk.1.ffn_norm.weight has type F16, expected F32");
}

TEST_F(WeightsTest, Qwen2NeedsItsBiases) {
  GgufWriter writer = tiny_model({.architecture = "qwen2"});
  ASSERT_EQ(error(writer), "");
  tensor(writer, "blk.0.attn_q.bias").name = "unused";
  EXPECT_EQ(error(writer), "tensor blk.0.attn_q.bias is missing");
}

TEST_F(WeightsTest, NormsTakeTheirBiases) {
  GgufWriter writer = tiny_model({.layer_norms = true});
  writer.add("llama.attention.layer_norm_rms_epsilon", 1e-5F).write(folder_ / "m.gguf");
  const Gguf gguf(folder_ / "m.gguf");
  const Weights w = Weights::load(gguf, Hparams::load(gguf));
  const auto data = [&](const char* name) {
    return reinterpret_cast<const float*>(gguf.find_tensor(name)->data.data());
  };
  EXPECT_EQ(w.layers[1].attn_norm.bias, data("blk.1.attn_norm.bias"));
  EXPECT_EQ(w.layers[0].ffn_norm.bias, data("blk.0.ffn_norm.bias"));
  EXPECT_EQ(w.output_norm.bias, data("output_norm.bias"));
}

TEST_F(WeightsTest, PartsSideBySideShareANormUnlessTheFileHasTwo) {
  const TinyModelFile file;
  const Gguf gguf(file.path());
  Hparams hp = Hparams::load(gguf);
  hp.parallel = true;
  const Weights two = Weights::load(gguf, hp);
  EXPECT_NE(two.layers[0].ffn_norm.weight, two.layers[0].attn_norm.weight);
  GgufWriter writer = tiny_model({.n_layer = 1});
  std::erase_if(writer.tensors(), [](const auto& t) { return t.name == "blk.0.ffn_norm.weight"; });
  writer.write(folder_ / "m.gguf");
  const Gguf other(folder_ / "m.gguf");
  Hparams of_one = Hparams::load(other);
  of_one.parallel = true;
  const Weights one = Weights::load(other, of_one);
  EXPECT_EQ(one.layers[0].ffn_norm.weight, one.layers[0].attn_norm.weight);
}

TEST_F(WeightsTest, RopeFactorsArePositive) {
  std::vector<float> factors(16, 1.0F);
  EXPECT_EQ(error(tiny_model({.rope_factors = factors})), "");
  factors[3] = 0;
  EXPECT_EQ(error(tiny_model({.rope_factors = factors})),
            "tensor rope_freqs.weight has the value 0, expected positive ones");
  factors.pop_back();
  EXPECT_EQ(error(tiny_model({.rope_factors = factors})),
            "tensor rope_freqs.weight has shape [15], expected [16]");
}

}  // namespace
}  // namespace confab::engine
