// SPDX-License-Identifier: MIT
#include "engine/model/unused_tensors.h"

#include <gtest/gtest.h>

#include "engine/model/tensor_reader.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

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
