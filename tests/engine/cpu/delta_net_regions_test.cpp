// SPDX-License-Identifier: MIT
// Layers with a recurrent state: what they do changes what the golden models say (see
// attention_regions_test.cpp), and going back and on again gives what going straight on does.
#include <gtest/gtest.h>

#include "engine/cache/prefix_cache.h"
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
  PrefixCache prefix(m.runner.cache, nullptr, "");
  const std::span<const Token> tokens = m.tokens;
  const auto run = [&](std::span<const Token> part) {
    const std::vector<float> row = copy(m.runner.forward.run(part, LogitsOf::last_token));
    prefix.append(part);
    return row;
  };
  run(tokens.first(20));
  const std::vector<float> straight_on = run(tokens.subspan(20, 20));
  run(tokens.subspan(40, 1));

  // The same prompt again: from the checkpoint at 20, not from the state after 41 tokens.
  EXPECT_EQ(prefix.reuse(tokens.first(40)), 20);
  EXPECT_EQ(m.runner.cache.n_tokens(), 20);
  EXPECT_EQ(run(tokens.subspan(20, 20)), straight_on);
  // Going on needs no going back.
  EXPECT_EQ(prefix.reuse(tokens.first(41)), 40);
  // A change at the start leaves nothing.
  std::vector<Token> other(tokens.begin(), tokens.end());
  other[3] = other[3] == 5 ? 6 : 5;
  EXPECT_EQ(prefix.reuse(other), 0);
  run(std::span<const Token>(other).first(20));
  EXPECT_EQ(prefix.reuse(tokens.first(40)), 0);
  run(tokens.first(20));
  EXPECT_EQ(run(tokens.subspan(20, 20)), straight_on);
}

TEST(DeltaNetRegionsTest, RunsWithoutLogitsRememberToo) {
  RecurrentModel m;
  EXPECT_FALSE(m.runner.forward.can_stop());  // a state that has moved on cannot be taken back
  const std::span<const Token> tokens = m.tokens;
  const std::vector<float> whole = copy(m.runner.forward.run(tokens, LogitsOf::last_token));
  Runner other(m.model, {});
  other.forward.run(tokens.first(40), LogitsOf::none);
  EXPECT_EQ(copy(other.forward.run(tokens.subspan(40), LogitsOf::last_token)), whole);
}

}  // namespace
}  // namespace confab::engine
