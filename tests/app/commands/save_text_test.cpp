// SPDX-License-Identifier: MIT
#include "app/commands/save_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

std::string fault_of(const std::string& path) {
  try {
    save_text(path, "x");
  } catch (const UserError& fault) {
    return fault.what();
  }
  return "none";
}

TEST(SaveTextTest, WritesAllOfIt) {
  const TempDir home;
  const std::string text = std::string(100000, 'a') + '\0' + "é\n";
  save_text((home / "a.txt").string(), text);
  std::ifstream file(home / "a.txt", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
}

TEST(SaveTextTest, NeverReplacesAFile) {
  const TempDir home;
  const std::string path = (home / "a.txt").string();
  save_text(path, "first");
  EXPECT_THAT(fault_of(path), testing::HasSubstr("exists already"));
}

TEST(SaveTextTest, SaysWhatIsWrong) {
  const TempDir home;
  EXPECT_THAT(fault_of((home / "no/a.txt").string()), testing::HasSubstr("No such file"));
  EXPECT_THAT(fault_of(""), testing::HasSubstr("name"));
  EXPECT_THAT(fault_of("/dev/full"), testing::HasSubstr("exists already"));
}

TEST(SaveTextTest, LanguagesHaveTheirExtensions) {
  EXPECT_EQ(extension_of("Python"), ".py");
  EXPECT_EQ(extension_of("c++"), ".cpp");
  EXPECT_EQ(extension_of("brainfuck"), ".txt");
  EXPECT_EQ(extension_of(""), ".txt");
}

}  // namespace
}  // namespace confab::app
