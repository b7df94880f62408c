// SPDX-License-Identifier: MIT
#include "engine/run/token_bytes.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/cache/kv_layout.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

double file_bytes(const Model& model, const std::string& part = {}) {
  double bytes = 0;
  for (const GgufTensor& tensor : model.gguf.tensors()) {
    if (tensor.name.find(part) != std::string_view::npos)
      bytes += static_cast<double>(tensor.data.size());
  }
  return bytes;
}

constexpr double kRow = 64 * sizeof(float), kVocab = 300;

TEST(TokenBytesTest, ATokenReadsItsRowOfTheEmbeddings) {
  const TinyModelFile file;
  const Model model = load_bare_model(file.path());
  const double others = file_bytes(model) - kVocab * kRow;
  EXPECT_EQ(weight_bytes_of_run(model, 1), others + kRow);
  EXPECT_EQ(weight_bytes_of_run(model, 5), others + 5 * kRow);
  EXPECT_EQ(weight_bytes_of_run(model, 4000), file_bytes(model));
}

TEST(TokenBytesTest, ATokenReadsItsRowOfEachLayersEmbeddingsToo) {
  const TinyModelFile file({.tied = true});
  Model model = load_bare_model(file.path());
  model.weights.per_layer_token_embd = model.weights.token_embd;
  EXPECT_EQ(weight_bytes_of_run(model, 1), file_bytes(model) - (kVocab - 1) * kRow);
}

TEST(TokenBytesTest, ATiedOutputIsReadOnce) {
  const TinyModelFile file({.tied = true});
  const Model model = load_bare_model(file.path());
  EXPECT_EQ(weight_bytes_of_run(model, 1), file_bytes(model));
}

TEST(TokenBytesTest, ATokenReadsTheExpertsThatItUses) {
  for (const TinyExperts layout : {TinyExperts::stacked, TinyExperts::fused}) {
    const TinyModelFile file(
        {.tied = true, .n_expert = 8, .n_expert_used = 2, .n_ff_shared = 0, .experts = layout});
    const Model model = load_bare_model(file.path());
    const double experts = file_bytes(model, "_exps.weight");
    EXPECT_GT(experts, 0);
    EXPECT_DOUBLE_EQ(weight_bytes_of_run(model, 1), file_bytes(model) - experts * 6 / 8);
    EXPECT_DOUBLE_EQ(weight_bytes_of_run(model, 2), file_bytes(model) - experts * 36 / 64);
    EXPECT_DOUBLE_EQ(weight_bytes_of_run(model, 512), file_bytes(model));
  }
}

TEST(TokenBytesTest, ATokenReadsThePositionsThatItSees) {
  const TinyModelFile file;
  Model model = load_bare_model(file.path());
  const KvLayout kv(model.hparams, Dtype::F16, Dtype::F32);
  const double row = 32 * (2 + 4);  // of the one KV head of a layer
  EXPECT_EQ(memory_bytes_of_token(model, kv, 0), 0);
  EXPECT_EQ(memory_bytes_of_token(model, kv, 100), 2 * 100 * row);
  model.hparams.layers[1].window = 16;
  EXPECT_EQ(memory_bytes_of_token(model, kv, 100), (100 + 16) * row);
  model.hparams.layers[1].recurrent = true;
  model.hparams.delta_net.n_v_heads = 3;
  model.hparams.delta_net.d_state = 8;
  EXPECT_EQ(memory_bytes_of_token(model, kv, 100), 100 * row + 3 * 8 * 8 * sizeof(float))
      << "however long the conversation is";
}

TEST(TokenBytesTest, ALatentIsKeyAndValueAndReadOnce) {
  const TinyModelFile file;
  Model model = load_bare_model(file.path());
  model.hparams.latent.kv_rank = 32;
  const KvLayout kv(model.hparams, Dtype::F16, Dtype::F16);
  EXPECT_EQ(memory_bytes_of_token(model, kv, 100), 2 * 100 * 32 * 2);
}

}  // namespace
}  // namespace confab::engine
