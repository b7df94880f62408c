// SPDX-License-Identifier: MIT
#include "engine/platform/system_file.h"

#include <gtest/gtest.h>

#include "tests/temp_dir.h"

namespace confab::engine::platform {
namespace {

TEST(SystemFileTest, BeginsWithAWordOrANumber) {
  const TempDir home;
  const std::string file = home.file("a", " -42000 millidegrees\n");
  EXPECT_EQ(first_word(file), "-42000");
  EXPECT_EQ(first_number(file), -42000);
  home.file("a", "max\n");
  EXPECT_EQ(first_word(file), "max");
  EXPECT_EQ(first_number(file), std::nullopt);
}

TEST(SystemFileTest, AFileThatSaysNothingIsNoError) {
  const TempDir home;
  const std::string empty = home.file("empty", "\n");
  for (const std::filesystem::path& file : {std::filesystem::path(empty), home / "none"}) {
    EXPECT_EQ(first_word(file), "");
    EXPECT_EQ(first_number(file), std::nullopt);
  }
}

}  // namespace
}  // namespace confab::engine::platform
