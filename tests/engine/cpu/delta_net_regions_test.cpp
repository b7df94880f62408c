// SPDX-License-Identifier: MIT
// Layers with a recurrent state: what they do changes what the golden models say (see
// attention_regions_test.cpp), and going back and on again gives what going straight on does.
#include <gtest/gtest.h>

#include "engine/cache/prefix_cache.h"
#include "engine/cpu/cpu_decoder.h"
#include "tests/engine/without_feature.h"

namespace confab::engine {
namespace {

TEST(DeltaNetRegionsTest, GatesAndTheOrderOfHeadsMatter) {
  EXPECT_GT(loss_without("qwen35", [](Model& m) { m.hparams.delta_net.tiled = false; }), kVisible);
  EXPECT_GT(loss_without("qwen35",
                         [](Model& m) {
                           static const std::vector<float> zeros(64, 0.0F);
                           for (LayerWeights& layer : m.weights.layers) {
                             layer.delta_net.dt = zeros.data();
                           }
                         }),
            kVisible);
}

class RecurrentModel {
 public:
  RecurrentModel()
      : folder_(CONFAB_SOURCE_DIR "/tests/data/arch/qwen35"),
        tokens(nlohmann::json::parse(read_text(folder_ / "case.json"))["tokens"]),
        model(load_bare_model(folder_ / "model.gguf")),
        runner(model, {}) {}

 private:
  std::filesystem::path folder_;

 public:
  std::vector<Token> tokens;
  Model model;
  Runner runner;
};

std::vector<float> copy(std::span<const float> row) {
  return {row.begin(), row.end()};
}

TEST(DeltaNetRegionsTest, ThePrefixCacheGoesBackToAStateThatIsThere) {
  RecurrentModel m;
  kernels::ThreadPool pool(1);
  CpuDecoder decoder(m.model, *RunOptions().table, pool,
                     {.n_ctx = 256,
                      .type_k = kernels::Dtype::F32,
                      .type_v = kernels::Dtype::F32,
                      .forward = {.n_batch = 64, .exact = true}});
  PrefixCache prefix(decoder, nullptr, "");
  const std::span<const Token> tokens = m.tokens;
  const auto run = [&](CachedSequence& cached, std::span<const Token> part) {
    const SequenceRun one{cached.sequence.get(), part, LogitsOf::last_token};
    EXPECT_EQ(decoder.run({&one, 1}, [](int) { return true; }), RunEnd::done);
    prefix.grown(cached, part.size() > 1);
    return copy(decoder.logits(0));
  };
  // What is known of a prompt, and then all of it.
  const auto reuse = [&](std::span<const Token> prompt) {
    CachedSequence& cached = prefix.begin(prompt, {});
    const int n_known = cached.sequence->n_tokens();
    run(cached, prompt.subspan(static_cast<std::size_t>(n_known)));
    prefix.end(cached);
    return n_known;
  };
  CachedSequence& first = prefix.begin(tokens, {});
  run(first, tokens.first(20));
  const std::vector<float> straight_on = run(first, tokens.subspan(20, 20));
  run(first, tokens.subspan(40, 1));
  // Another answer to the same prompt begins at the checkpoint at 20.
  CachedSequence& beside = prefix.begin(tokens.first(40), {});
  EXPECT_EQ(beside.sequence->n_tokens(), 20);
  EXPECT_EQ(run(beside, tokens.subspan(20, 20)), straight_on);
  prefix.drop(beside);
  prefix.end(first);

  // The same prompt again: from the checkpoint at 20, not from the state after 41 tokens.
  CachedSequence& again = prefix.begin(tokens.first(40), {});
  EXPECT_EQ(again.sequence->n_tokens(), 20);
  EXPECT_EQ(run(again, tokens.subspan(20, 20)), straight_on);
  prefix.end(again);
  // Going on needs no going back.
  EXPECT_EQ(reuse(tokens.first(41)), 40);
  // A change at the start leaves nothing.
  std::vector<Token> other(tokens.begin(), tokens.end());
  other[3] = other[3] == 5 ? 6 : 5;
  EXPECT_EQ(reuse(std::span<const Token>(other).first(30)), 0);
  EXPECT_EQ(reuse(tokens.first(20)), 0);
}

TEST(DeltaNetRegionsTest, RunsWithoutLogitsRememberToo) {
  RecurrentModel m;
  EXPECT_FALSE(m.runner.forward.can_stop());  // a state that has moved on cannot be taken back
  const std::span<const Token> tokens = m.tokens;
  const std::vector<float> whole = copy(m.runner.run(tokens, LogitsOf::last_token));
  Runner other(m.model, {});
  other.run(tokens.first(40), LogitsOf::none);
  EXPECT_EQ(copy(other.run(tokens.subspan(40), LogitsOf::last_token)), whole);
}

}  // namespace
}  // namespace confab::engine
