// SPDX-License-Identifier: MIT
#include "app/models/recommended.h"

#include <gtest/gtest.h>

#include "tests/engine/tiny_model.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

ModelOptions model_at(const std::string& path) {
  ModelOptions options;
  options.path = path;
  return options;
}

TEST(RecommendedTest, IsWhatTheFileSays) {
  const TempDir home;
  const std::string file = home / "a.gguf";
  engine::tiny_model().add("general.sampling.temp", 0.5F).write(file);
  const auto found = recommended_sampling(model_at(file));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "temp");
  EXPECT_EQ(found[0].value, 0.5);
}

TEST(RecommendedTest, AFileThatCannotBeReadSaysNothing) {
  const TempDir home;
  EXPECT_TRUE(recommended_sampling(model_at("/nowhere.gguf")).empty());
  EXPECT_TRUE(recommended_sampling(model_at(home.file("a.gguf", "GGUF"))).empty());
}

}  // namespace
}  // namespace confab::app
