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

TEST(SuggestedModelTest, IsToldInThreeLines) {
  using Lines = std::array<std::string, 3>;
  const ListedModel listed{"Qwen3.5 4B", "org/q", 3 * kGib, "small"};
  Suggestion suggestion{.room_bytes = 6 * kGib, .to_pull = listed};
  EXPECT_EQ(suggestion_lines(suggestion, SuggestedFor::no_bundled),
            (Lines{"On this disk: no model, not even the bundled one",
                   "What fits: files up to 6.0 GiB, such as Qwen3.5 4B (3.0 GiB)",
                   "A real model: confab pull org/q"}));
  EXPECT_EQ(suggestion_lines(suggestion, SuggestedFor::chat)[2], "A real model: /pull org/q");
  suggestion.model = kModels[1];
  suggestion.n_found = 2;
  EXPECT_EQ(suggestion_lines(suggestion, SuggestedFor::no_bundled)[0],
            "On this disk: 2 models; fair (5.0 GiB) fits");
  EXPECT_EQ(suggestion_lines(suggestion, SuggestedFor::no_bundled)[2],
            "A real model: confab -m fair");
}

}  // namespace
}  // namespace confab::app
