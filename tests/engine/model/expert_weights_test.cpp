// SPDX-License-Identifier: MIT
#include "engine/model/expert_weights.h"

#include <gtest/gtest.h>

#include <cstring>

#include "engine/gguf/gguf.h"
#include "engine/model/hparams.h"
#include "engine/model/tensor_reader.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

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
