// SPDX-License-Identifier: MIT
#include "engine/model/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "engine/gguf/gguf.h"
#include "engine/model/hparams.h"
#include "engine/model/tensor_reader.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/error_of.h"
#include "tests/engine/golden.h"
#include "tests/engine/golden_cases.h"
#include "tests/engine/tiny_model.h"
#include "tests/temp_dir.h"

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

using testing::HasSubstr;

std::string golden_model(const std::string& name) {
  return CONFAB_SOURCE_DIR "/tests/data/arch/" + name + "/model.gguf";
}

// The error of a golden model in which one tensor has another name.
std::string error_without(const std::string& model, const std::string& tensor) {
  std::string bytes = read_text(golden_model(model));
  const std::size_t at = bytes.find(tensor);
  if (at == std::string::npos) throw std::runtime_error(model + " has no " + tensor);
  bytes[at] = '?';
  const TempDir folder;
  std::ofstream(folder / "m.gguf", std::ios::binary) << bytes;
  return error_of([&] { load_bare_model(folder / "m.gguf"); });
}

TEST(LatentWeightsTest, NewFilesHaveAMatrixAHead) {
  const Model model = load_bare_model(golden_model("deepseek2-dense"));
  for (const LayerWeights& layer : model.weights.layers) {
    EXPECT_EQ(layer.latent.q_a.n_rows, 32);
    EXPECT_EQ(layer.latent.kv_a.n_rows, 32 + 32);
    EXPECT_EQ(layer.latent.k_b.size(), 2U);
    EXPECT_EQ(layer.latent.v_b.size(), 2U);
    EXPECT_FALSE(layer.latent.k_b_transposed);
    EXPECT_EQ(layer.attn_q.n_rows, 2 * 64);
    EXPECT_EQ(layer.attn_q.rows.n_cols, 32);
  }
}

TEST(LatentWeightsTest, OldFilesHaveOneMatrix) {
  const Model model = load_bare_model(golden_model("deepseek2-lite"));
  for (const LayerWeights& layer : model.weights.layers) {
    EXPECT_EQ(layer.latent.q_a.n_rows, 0);
    EXPECT_EQ(layer.attn_q.rows.n_cols, 16);
    EXPECT_TRUE(layer.latent.k_b_transposed);
    ASSERT_EQ(layer.latent.k_b.size(), 2U);
    EXPECT_EQ(layer.latent.k_b[1].n_rows, 4);
    // A head's values follow its keys.
    EXPECT_EQ(layer.latent.v_b[0].rows.data, layer.latent.k_b[0].rows.data + 4 * 8 * sizeof(float));
    EXPECT_EQ(layer.latent.k_b[1].rows.data, layer.latent.v_b[0].rows.data + 4 * 8 * sizeof(float));
  }
}

TEST(LatentWeightsTest, NamesWhatIsMissing) {
  for (const char* tensor :
       {"blk.1.attn_q_a.weight", "blk.1.attn_q_a_norm.weight", "blk.1.attn_q_b.weight",
        "blk.1.attn_kv_a_mqa.weight", "blk.1.attn_kv_a_norm.weight", "blk.1.attn_k_b.weight",
        "blk.1.attn_v_b.weight"}) {
    EXPECT_THAT(error_without("deepseek2-dense", tensor),
                HasSubstr(std::string("tensor ") + tensor + " is missing"));
  }
}

const TinyModelOptions kOptions{.architecture = "qwen2moe",
                                .n_layer = 1,
                                .n_embd = 32,
                                .n_ff = 24,
                                .n_expert = 4,
                                .n_ff_shared = 40};

class ExpertWeightsTest : public testing::Test {
 protected:
  // Changes the file that load() reads.
  void rename(const std::string& from, const std::string& to) {
    for (GgufWriter::Tensor& tensor : writer_.tensors())
      if (tensor.name == from) tensor.name = to;
  }
  void reshape(const std::string& name, const std::vector<std::int64_t>& shape) {
    for (GgufWriter::Tensor& tensor : writer_.tensors())
      if (tensor.name == name) tensor.shape = shape;
  }

  ExpertWeights load() {
    writer_.write(folder_ / "m.gguf");
    gguf_ = std::make_unique<Gguf>(folder_ / "m.gguf");
    return load_experts(TensorReader(*gguf_), Hparams::load(*gguf_), 0);
  }
  std::string error() {
    const std::string message = error_of([&] { load(); });
    const std::string start = folder_ / "m.gguf: ";
    return message.rfind(start, 0) == 0 ? message.substr(start.size()) : message;
  }

  static bool same(const Matrix& a, const Matrix& b) {
    const auto n = static_cast<std::size_t>(a.n_rows) * a.rows.row_bytes;
    return a.n_rows == b.n_rows && a.rows.n_cols == b.rows.n_cols &&
           a.rows.row_bytes == b.rows.row_bytes && a.rows.dtype == b.rows.dtype &&
           std::memcmp(a.rows.data, b.rows.data, n) == 0;
  }

  TemporaryFolder folder_;
  GgufWriter writer_ = tiny_model(kOptions);
  std::unique_ptr<Gguf> gguf_;
};

TEST_F(ExpertWeightsTest, FindsTheMatricesOfEachExpert) {
  const ExpertWeights w = load();
  ASSERT_EQ(w.gate.size(), 4U);
  ASSERT_EQ(w.up.size(), 4U);
  ASSERT_EQ(w.down.size(), 4U);
  EXPECT_EQ(w.gate[0].n_rows, 24);
  EXPECT_EQ(w.gate[0].rows.n_cols, 32);
  EXPECT_EQ(w.down[3].n_rows, 32);
  EXPECT_EQ(w.down[3].rows.n_cols, 24);
  EXPECT_EQ(w.gate[3].rows.data - w.gate[0].rows.data, 3 * 24 * 32 * 4);
  EXPECT_EQ(w.gate[0].rows.data, gguf_->find_tensor("blk.0.ffn_gate_exps.weight")->data.data());
  EXPECT_EQ(w.up[0].rows.data, gguf_->find_tensor("blk.0.ffn_up_exps.weight")->data.data());
  EXPECT_EQ(w.router.n_rows, 4);
  EXPECT_EQ(w.shared_gate.n_rows, 40);
  EXPECT_EQ(w.shared_up.n_rows, 40);
  EXPECT_EQ(w.shared_down.rows.n_cols, 40);
  EXPECT_EQ(w.shared_router.n_rows, 1);
  EXPECT_EQ(w.selection_bias, nullptr);
  EXPECT_EQ(w.down[0].bias, nullptr);
}

TEST_F(ExpertWeightsTest, FindsTheSameInEveryLayout) {
  const ExpertWeights want = load();
  const std::unique_ptr<Gguf> lender = std::move(gguf_);
  for (const TinyExperts layout : {TinyExperts::fused, TinyExperts::apart}) {
    TinyModelOptions options = kOptions;
    options.experts = layout;
    writer_ = tiny_model(options);
    const TemporaryFolder folder;
    writer_.write(folder / "m.gguf");
    const Gguf gguf(folder / "m.gguf");
    const ExpertWeights got = load_experts(TensorReader(gguf), Hparams::load(gguf), 0);
    ASSERT_EQ(got.gate.size(), 4U);
    for (std::size_t e = 0; e < 4; ++e) {
      EXPECT_TRUE(same(got.gate[e], want.gate[e])) << e;
      EXPECT_TRUE(same(got.up[e], want.up[e])) << e;
      EXPECT_TRUE(same(got.down[e], want.down[e])) << e;
    }
  }
}

TEST_F(ExpertWeightsTest, FindsBiases) {
  TinyModelOptions options = kOptions;
  options.biases = true;
  writer_ = tiny_model(options);
  const ExpertWeights w = load();
  EXPECT_NE(w.router.bias, nullptr);
  EXPECT_EQ(w.gate[0].bias, nullptr);
  ASSERT_NE(w.down[0].bias, nullptr);
  EXPECT_EQ(w.down[3].bias - w.down[0].bias, 3 * 32);
}

TEST_F(ExpertWeightsTest, FindsTheSelectionBias) {
  writer_.add_tensor("blk.0.exp_probs_b.bias", {4}, std::vector<float>{1, 2, 3, 4});
  ASSERT_NE(load().selection_bias, nullptr);
  EXPECT_EQ(load().selection_bias[2], 3);
}

TEST_F(ExpertWeightsTest, ASingleExpertMayLieInAFlatTensor) {
  TinyModelOptions options = kOptions;
  options.n_expert = options.n_expert_used = 1;
  writer_ = tiny_model(options);
  reshape("blk.0.ffn_up_exps.weight", {32, 24});
  EXPECT_EQ(load().up.size(), 1U);
}

TEST_F(ExpertWeightsTest, NamesWhatIsMissing) {
  for (const char* name : {"blk.0.ffn_gate_inp.weight", "blk.0.ffn_gate_exps.weight",
                           "blk.0.ffn_up_exps.weight", "blk.0.ffn_down_exps.weight",
                           "blk.0.ffn_gate_inp_shexp.weight", "blk.0.ffn_gate_shexp.weight",
                           "blk.0.ffn_up_shexp.weight", "blk.0.ffn_down_shexp.weight"}) {
    rename(name, "other");
    EXPECT_EQ(error(), std::string("tensor ") + name + " is missing");
    rename("other", name);
  }
}

TEST_F(ExpertWeightsTest, RefusesOtherShapes) {
  reshape("blk.0.ffn_gate_exps.weight", {32, 24, 3});
  EXPECT_EQ(error(),
            "tensor blk.0.ffn_gate_exps.weight has shape [32, 24, 3], expected [32, 24, 4]");
  reshape("blk.0.ffn_gate_exps.weight", {32, 24 * 4});
  EXPECT_EQ(error(), "tensor blk.0.ffn_gate_exps.weight has shape [32, 96], expected [32, 24, 4]");
}

TEST_F(ExpertWeightsTest, ExpertsApartMustBeOfOneType) {
  TinyModelOptions options = kOptions;
  options.experts = TinyExperts::apart;
  writer_ = tiny_model(options);
  for (GgufWriter::Tensor& tensor : writer_.tensors())
    if (tensor.name == "blk.0.ffn_up.2.weight")
      tensor.type = static_cast<std::uint32_t>(kernels::Dtype::F16);
  EXPECT_EQ(error(), "tensor blk.0.ffn_up.2.weight has type F16, expected F32");
  rename("blk.0.ffn_up.3.weight", "other");
  writer_.tensors()[0].name = "token_embd.weight";
  EXPECT_NE(error(), "");
}

}  // namespace
}  // namespace confab::engine
