// SPDX-License-Identifier: MIT
#include "app/models/suggested_model.h"

#include <gtest/gtest.h>

#include <vector>

namespace confab::app {
namespace {

constexpr std::uint64_t kGib = std::uint64_t{1} << 30;

const std::vector<FoundModel> kModels = {{"small", "/m/small.gguf", 1 * kGib},
                                         {"fair", "/m/fair.gguf", 5 * kGib},
                                         {"huge", "/m/huge.gguf", 40 * kGib},
                                         {"demo", "/m/confab-demo.gguf", 1 * kGib}};

TEST(SuggestedModelTest, IsTheLargestThatFits) {
  const Suggestion suggestion = suggest_model(kModels, 8 * kGib);
  ASSERT_TRUE(suggestion.model);
  EXPECT_EQ(suggestion.model->name, "fair");
  EXPECT_EQ(suggestion.n_too_large, 1U);
  EXPECT_EQ(suggestion.n_found, 3U);
  EXPECT_EQ(suggestion.room_bytes, 6 * kGib);
  EXPECT_EQ(suggest_model(kModels, 4 * kGib).model->name, "small");
}

TEST(SuggestedModelTest, TheBundledOneIsNotSuggested) {
  EXPECT_FALSE(suggest_model({&kModels[3], 1}, 8 * kGib).model);
  EXPECT_FALSE(suggest_model({}, 8 * kGib).model);
  EXPECT_FALSE(suggest_model(kModels, kGib / 2).model);
}

}  // namespace
}  // namespace confab::app
