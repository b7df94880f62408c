// SPDX-License-Identifier: MIT
// A plain feed-forward beside experts: each of its parts changes what the golden model says (see
// attention_regions_test.cpp).
#include <gtest/gtest.h>

#include "tests/engine/without_feature.h"

namespace confab::engine {
namespace {

double loss_with(const std::function<void(LayerWeights&)>& change) {
  return loss_without("gemma4-moe", [&](Model& m) {
    for (LayerWeights& layer : m.weights.layers) change(layer);
  });
}

TEST(PlainBesideRegionsTest, EachHasNormsOfItsOwn) {
  EXPECT_GT(loss_with([](LayerWeights& w) { w.experts.post_norm = w.experts.plain_post_norm; }),
            kVisible);
  EXPECT_GT(loss_with([](LayerWeights& w) { w.experts.plain_post_norm = w.experts.post_norm; }),
            kVisible);
  EXPECT_GT(loss_with([](LayerWeights& w) { w.experts.norm = w.ffn_norm; }), kVisible);
  EXPECT_GT(loss_with([](LayerWeights& w) { w.experts.router_norm = w.ffn_norm; }), kVisible);
}

TEST(PlainBesideRegionsTest, ScalesOfExpertsAndRouterMatter) {
  EXPECT_GT(loss_with([](LayerWeights& w) {
              for (Matrix& down : w.experts.down) down.scale = 1;
            }),
            kVisible);
  EXPECT_GT(loss_with([](LayerWeights& w) { w.experts.router.scale = 1; }), kVisible);
}

}  // namespace
}  // namespace confab::engine
