// SPDX-License-Identifier: MIT
#include "app/models/model_card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/paths.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;

TEST(ModelCardTest, SaysWhatTheFileIs) {
  const auto path = find_shipped("models/confab-demo.gguf");
  ASSERT_TRUE(path);
  const std::string card = model_card(path->string());
  EXPECT_THAT(card, HasSubstr("Confab Demo"));
  EXPECT_THAT(card, HasSubstr("46 M parameters, mostly "));
  EXPECT_THAT(card, HasSubstr("28.8 MiB"));
  EXPECT_THAT(card, HasSubstr("a context of 2,048 tokens"));
  EXPECT_THAT(card, HasSubstr("confab-demo.gguf"));
}

TEST(ModelCardTest, SaysWhatIsWrongWithIt) {
  const TempDir dir;
  const std::string path = (dir.path() / "broken.gguf").string();
  std::ofstream(path) << "GGUX";
  EXPECT_THAT(model_card(path), HasSubstr("broken.gguf: "));
  EXPECT_THAT(model_card((dir.path() / "none.gguf").string()), HasSubstr("none.gguf: "));
}

}  // namespace
}  // namespace confab::app
