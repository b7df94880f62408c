// SPDX-License-Identifier: MIT
#include "engine/run/model_facts.h"

#include <gtest/gtest.h>

#include "engine/gguf/gguf.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

TEST(ModelFactsTest, AModelWithoutANameHasThatOfItsFile) {
  const TinyModelFile file{{}};
  const Gguf gguf(file.path());
  const std::string base = file.path().substr(file.path().find_last_of('/') + 1);
  const auto own = gguf.find_string("general.name");
  EXPECT_EQ(model_name(gguf), own ? std::string(*own) : base);
  EXPECT_FALSE(model_name(gguf).empty());
  EXPECT_TRUE(recommended_sampling(gguf).empty());
}

}  // namespace
}  // namespace confab::engine
