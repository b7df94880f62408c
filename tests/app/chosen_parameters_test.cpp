// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/parameters.h"

namespace confab::app {
namespace {

using testing::ElementsAre;

TEST(ChosenParametersTest, AreThoseThatSomebodyHasChosenAlsoWhereTheyAreAsBuiltIn) {
  AnswerOptions options;
  EXPECT_THAT(chosen_parameters(options), ElementsAre());
  ASSERT_EQ(set_parameter(*find_set_parameter("temp"), options, "0.8", Origin::config), "");
  ASSERT_EQ(set_parameter(*find_set_parameter("top_k"), options, "7", Origin::chat), "");
  ASSERT_EQ(set_parameter(*find_set_parameter("num_predict"), options, "9", Origin::chat), "");
  EXPECT_THAT(chosen_parameters(options), ElementsAre("temperature", "top_k"));
}

TEST(ChosenParametersTest, WhatTheModelsMakersRecommendIsChosenToo) {
  const std::vector<engine::Recommendation> sampling{{.name = "temp", .value = 0.3}};
  EXPECT_THAT(chosen_parameters(with_recommended({}, sampling)), ElementsAre("temperature"));
}

}  // namespace
}  // namespace confab::app
