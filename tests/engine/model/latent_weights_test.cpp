// SPDX-License-Identifier: MIT
#include "engine/model/latent_weights.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/error_of.h"
#include "tests/engine/golden.h"
#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

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

}  // namespace
}  // namespace confab::engine
