// SPDX-License-Identifier: MIT
// Each thing that an architecture can do to its attention changes what the golden models say: the
// golden logits (forward_golden_test.cpp) fail when it is taken out. How attention is cut changes
// nothing.
#include <gtest/gtest.h>

#include "tests/engine/cache/memory_block_store.h"
#include "tests/engine/tiny_model.h"
#include "tests/engine/without_feature.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

void see_everything(Model& model) {
  for (LayerHparams& layer : model.hparams.layers) layer.window = 0;
}
void rotate_all_alike(Model& model) {
  for (LayerHparams& layer : model.hparams.layers) layer.rope = 0;
}
void do_not_norm_queries(Model& model) {
  model.hparams.qk_norm = QkNorm::none;
}

TEST(AttentionRegionsTest, SlidingWindowsMatter) {
  for (const char* name : {"gemma2-46-layers", "gemma3-pattern", "cohere2", "olmo3"}) {
    EXPECT_GT(loss_without(name, see_everything), kVisible) << name;
  }
}

TEST(AttentionRegionsTest, SoftCapsOfScoresMatter) {
  EXPECT_GT(loss_without("gemma2-46-layers", [](Model& m) { m.hparams.attn_softcap = 0; }),
            kVisible);
}

TEST(AttentionRegionsTest, NormsOfQueriesAndKeysMatter) {
  for (const char* name : {"gemma3-pattern", "qwen3-wide-heads", "command-r-64-layers", "olmo2"}) {
    EXPECT_GT(loss_without(name, do_not_norm_queries), kVisible) << name;
  }
}

TEST(AttentionRegionsTest, NormsOfWholeRowsAreNotThoseOfHeads) {
  EXPECT_GT(loss_without("olmo2", [](Model& m) { m.hparams.qk_norm = QkNorm::head; }), kVisible);
}

TEST(AttentionRegionsTest, LayersThatDoNotRotateMatter) {
  for (const char* name : {"smollm3-untied", "cohere2"}) {
    EXPECT_GT(loss_without(name, rotate_all_alike), kVisible) << name;
  }
}

TEST(AttentionRegionsTest, RotationsOfALayersOwnMatter) {
  for (const char* name : {"gemma3-pattern", "olmo3"}) {
    EXPECT_GT(loss_without(name, rotate_all_alike), kVisible) << name;
  }
}

TEST(AttentionRegionsTest, PartialRotationMatters) {
  EXPECT_GT(loss_without("glm4", [](Model& m) { m.hparams.ropes[0].n_rot *= 2; }), kVisible);
}

TEST(AttentionRegionsTest, QueriesThatGrowMatter) {
  EXPECT_GT(
      loss_without("mistral3-temperature", [](Model& m) { m.hparams.attn_temperature_scale = 0; }),
      kVisible);
}

TEST(AttentionRegionsTest, ScalesOfScoresMatter) {
  EXPECT_GT(loss_without("granite", [](Model& m) { m.hparams.attn_scale = 0; }), kVisible);
  EXPECT_GT(loss_without("gemma3-62-layers", [](Model& m) { m.hparams.attn_scale = 0; }), kVisible);
}

// After 768 positions, which are three blocks of the cache and three segments.
class AttentionSegmentsTest : public testing::TestWithParam<const kernels::KernelTable*> {
 protected:
  static constexpr int kPast = 768;

  // What follows the blocks of `past`, by so many threads. Where heads are few, positions are cut
  // if that makes at most 64 pairs of a query and a segment, as in runs of 16 tokens but not of 17.
  static std::vector<float> continued(const Model& model, RunOptions o, const KvCache& past,
                                      int n_threads) {
    o.n_threads = n_threads;
    Runner runner(model, o);
    for (int i = 0; i < kPast / kBlockTokens; ++i)
      restore_whole_block(runner.cache, i, past.block(i), kBlockTokens);
    return runner.logits(some_tokens(42, 8), {16, 8, 1, 17});
  }
};

TEST_P(AttentionSegmentsTest, GiveTheBitsOfOneThread) {
  const std::vector<float> sinks = {0.5F, -1, 2,    0, 1,  -2, 0.25F, 3, -0.5F,  1.5F,
                                    0,    -3, 0.1F, 2, -1, 1,  0.75F, 0, -0.25F, 1};
  for (const auto& [heads, kv] :
       {std::pair{TinyModelOptions{.n_embd = 60, .n_head = 6, .n_head_kv = 3}, Dtype::F16},
        {TinyModelOptions{.n_embd = 80, .n_head = 20, .n_head_kv = 1}, Dtype::BF16},
        {TinyModelOptions{.n_embd = 64, .n_head = 2, .n_head_kv = 2}, Dtype::Q8_0}}) {
    const TinyModelFile file(heads);
    Model model = load_bare_model(file.path());
    model.hparams.layers[1].window = 300;
    for (LayerWeights& layer : model.weights.layers) layer.attn_sinks = sinks.data();
    const RunOptions o{.table = GetParam(), .n_threads = 2, .n_ctx = 900, .n_batch = 256, .kv = kv};
    Runner past(model, o);
    for (unsigned i = 0; i < kPast / kBlockTokens; ++i)
      past.run(some_tokens(kBlockTokens, 70 + i), LogitsOf::none);
    const std::vector<float> want = continued(model, o, past.cache, 1);
    for (const int n_threads : {2, 5}) {
      EXPECT_TRUE(same_bits(continued(model, o, past.cache, n_threads), want))
          << heads.n_head << " heads, " << n_threads << " threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, AttentionSegmentsTest, all_tables(), table_name);

}  // namespace
}  // namespace confab::engine
