// SPDX-License-Identifier: MIT
// What the command and the chat have in common; the whole of it is tested with the commands.
#include "app/pull/model_pull.h"

#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/app/hub_home.h"

namespace confab::app {
namespace {

TEST(ModelPullTest, EndsWhereItIsToldToAndGoesOnFromThere) {
  HubHome at;
  at.hub.bytes_per_ms = 500;
  {
    ModelPull pull("org/name", at.paths);
    pull.find_files();
    EXPECT_FALSE(pull.run([](int percent, const std::string&) { return percent < 10; }));
  }
  ModelPull pull("org/name:q4_k_m", at.paths);
  pull.find_files();
  int first = -1;
  const auto pulled = pull.run([&](int percent, const std::string&) {
    if (first < 0) first = percent;
    return true;
  });
  ASSERT_TRUE(pulled);
  EXPECT_GE(first, 5);
  EXPECT_EQ(pulled->name, "m-Q4_K_M.gguf");
  EXPECT_EQ(pulled->file, at.file("m-Q4_K_M.gguf"));
}

TEST(ModelPullTest, WhatIsNoNameOfAModelIsRefusedBeforeAnybodyIsAsked) {
  const HubHome at;
  EXPECT_THROW(ModelPull("llama3", at.paths), UsageError);
  EXPECT_TRUE(at.hub.requests().empty());
  ModelPull stopped("org/name", at.paths);
  stopped.stop();
  EXPECT_THROW(stopped.find_files(), engine::ModelError);
}

}  // namespace
}  // namespace confab::app
