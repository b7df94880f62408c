// SPDX-License-Identifier: MIT
#include "engine/model/tensor_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/gguf/gguf.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using testing::EndsWith;

class TensorReaderTest : public testing::Test {
 protected:
  void add(const std::string& name, const std::vector<std::int64_t>& shape) {
    std::int64_t n = 1;
    for (const std::int64_t dim : shape) n *= dim;
    std::string bytes;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto value = static_cast<float>(i + 1);
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    writer_.add_tensor(name, 0, shape, bytes);
  }
  const Gguf& file() {
    writer_.write(folder_ / "m.gguf");
    gguf_.emplace(folder_ / "m.gguf");
    return *gguf_;
  }

  TemporaryFolder folder_;
  GgufWriter writer_;
  std::optional<Gguf> gguf_;
};

TEST_F(TensorReaderTest, ReadsMatricesWithTheirBiases) {
  add("a.weight", {4, 3});
  add("a.bias", {3});
  add("b.weight", {4, 3, 1});
  const TensorReader tensors(file());
  const Matrix a = tensors.matrix("a", 3, 4, Bias::optional);
  EXPECT_EQ(a.n_rows, 3);
  EXPECT_EQ(a.rows.row_bytes, 16U);
  EXPECT_EQ(a.bias[2], 3.0F);
  EXPECT_EQ(tensors.matrix("a", 3, 4, Bias::none).bias, nullptr);
  EXPECT_EQ(tensors.matrix("b", 3, 4, Bias::optional).bias, nullptr);
  EXPECT_THAT(error_of([&] { tensors.matrix("b", 3, 4, Bias::required); }),
              EndsWith("tensor b.bias is missing"));
  EXPECT_THAT(error_of([&] { tensors.matrix("a", 4, 3, Bias::none); }),
              EndsWith("tensor a.weight has shape [4, 3], expected [3, 4]"));
}

TEST_F(TensorReaderTest, ColumnsOfAMatrixKeepItsRowsApart) {
  add("a.weight", {64, 3});
  const TensorReader tensors(file());
  Matrix whole = tensors.matrix("a", 3, 64, Bias::none);
  const std::byte scales[24] = {};
  whole.rows.side = {
      .scales = scales, .dtype = kernels::Dtype::F16, .group_cols = 16, .n_per_row = 4};
  const Matrix part = columns_of(whole, 32, 32);
  EXPECT_EQ(part.n_rows, 3);
  EXPECT_EQ(part.rows.n_cols, 32);
  EXPECT_EQ(part.rows.row_bytes, 64U * 4);
  EXPECT_EQ(part.rows.data, whole.rows.data + std::size_t{32} * 4);
  EXPECT_EQ(part.rows.side.scales, scales + 4) << "two of them lie before";
  EXPECT_EQ(part.rows.side.n_per_row, 4);
  EXPECT_EQ(part.n_bytes(), 3U * 32 * 4 + 3U * 2 * 2);
}

TEST_F(TensorReaderTest, PartsOfAMatrixKeepTheirBiases) {
  add("a.weight", {4, 3});
  add("a.bias", {3});
  const TensorReader tensors(file());
  const Matrix part = rows_of(tensors.matrix("a", 3, 4, Bias::required), 1, 2);
  EXPECT_EQ(part.n_rows, 2);
  EXPECT_EQ(part.bias[0], 2.0F);
  EXPECT_EQ(*reinterpret_cast<const float*>(part.rows.data), 5.0F);
}

TEST_F(TensorReaderTest, ReadsVectors) {
  add("v", {3});
  add("m", {3, 2});
  add("one", {3, 1});
  const TensorReader tensors(file());
  EXPECT_EQ(tensors.vector("v", 3)[2], 3.0F);
  EXPECT_EQ(tensors.vectors("m", 3, 2)[5], 6.0F);
  EXPECT_EQ(tensors.vectors("v", 3, 1)[0], 1.0F);
  EXPECT_EQ(tensors.vector("one", 3)[1], 2.0F);
  EXPECT_EQ(tensors.divisors("none", 3), nullptr);
  EXPECT_EQ(tensors.divisors("v", 3)[0], 1.0F);
  EXPECT_THAT(error_of([&] { tensors.vector("v", 4); }),
              EndsWith("tensor v has shape [3], expected [4]"));
}

class UnusedTensorsTest : public testing::Test {
 protected:
  // The error of loading a tiny model with these tensors besides its own, without the path.
  std::string error_with(const std::vector<std::string>& names) {
    GgufWriter writer = tiny_model();
    for (const std::string& name : names) writer.add_tensor(name, {2}, std::vector<float>{1, 2});
    const std::string path = folder_ / "m.gguf";
    writer.write(path);
    const std::string message = error_of([&] { load_bare_model(path); });
    return message.empty() ? message : message.substr(path.size() + 2);
  }
  TemporaryFolder folder_;
};

TEST_F(UnusedTensorsTest, AreRefusedByName) {
  EXPECT_EQ(error_with({"blk.0.attn_norm_2.weight"}),
            "tensor blk.0.attn_norm_2.weight would be ignored, and answers would be wrong: this "
            "version does not support this variant of llama; get a file of the original model");
  EXPECT_EQ(
      error_with({"blk.1.attn_q_norm.weight", "position_embd.weight", "cls.weight"}),
      "tensor blk.1.attn_q_norm.weight and 2 more tensors would be ignored, and answers would be "
      "wrong: this version does not support this variant of llama; get a file of the original "
      "model");
}

// Without this, an architecture that forgets a bias would load, and answer wrongly.
TEST_F(UnusedTensorsTest, AForgottenBiasIsRefused) {
  const TinyModelFile file({.layer_norms = true});
  const Gguf gguf(file.path());
  Hparams hp;
  hp.architecture = "llama";
  hp.n_layer = 2;
  hp.layers.resize(2);
  const TensorReader tensors(gguf);
  for (const GgufTensor& t : gguf.tensors()) {
    if (t.name.ends_with(".weight") && t.shape.size() == 2)
      tensors.matrix(std::string(t.name.substr(0, t.name.size() - 7)), t.shape[1], t.shape[0],
                     Bias::none);
    if (t.name.ends_with("norm.weight")) tensors.vector(std::string(t.name), t.shape[0]);
  }
  EXPECT_NE(error_of([&] {
              refuse_unused_tensors(tensors, hp);
            }).find("tensor blk.0.attn_norm.bias and 4 more tensors would be ignored"),
            std::string::npos);
}

TEST_F(UnusedTensorsTest, WhatHasAReasonMayStay) {
  EXPECT_EQ(error_with({"v.blk.0.attn_q.weight", "mm.0.weight", "a.conv.weight",
                        "blk.0.attn_rot_embd.weight", "blk.2.attn_q.weight",
                        "blk.2.nextn.eh_proj.weight", "blk.1.ffn_up.input_scale"}),
            "");
  EXPECT_NE(error_with({"blk.x.attn_q.weight"}), "");
  EXPECT_NE(error_with({"blk.99999999999.attn_q.weight"}), "");
}

TEST_F(UnusedTensorsTest, ReasonsDependOnTheLayers) {
  Hparams hp;
  hp.n_layer = 2;
  hp.layers.resize(2);
  EXPECT_EQ(reason_to_leave("blk.1.attn_k.weight", hp), "");
  EXPECT_EQ(reason_to_leave("blk.1.attn_k_b.weight", hp), "");
  hp.layers[1].kv_layer = 0;
  hp.latent.kv_rank = 8;
  EXPECT_NE(reason_to_leave("blk.1.attn_k.weight", hp), "");
  EXPECT_NE(reason_to_leave("blk.1.attn_k_norm.weight", hp), "");
  EXPECT_EQ(reason_to_leave("blk.1.attn_q.bias", hp), "");
  EXPECT_EQ(reason_to_leave("blk.0.attn_k.weight", hp), "");
  EXPECT_NE(reason_to_leave("blk.1.attn_k_b.weight", hp), "");
}

}  // namespace
}  // namespace confab::engine
