// SPDX-License-Identifier: MIT
#include "app/commands/console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/app/commands/command_fixture.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

class SaveTextTest : public CommandFixture {
 protected:
  const TempDir dir_;
  const std::string path_ = (dir_ / "a.txt").string();
};

TEST_F(SaveTextTest, TellsWhereItIsWritten) {
  save_text(console_, path_, "first");
  EXPECT_EQ(read_file(path_), "first");
  EXPECT_THAT(console_.notices, testing::ElementsAre("Saved to " + path_ + "."));
  EXPECT_THAT(console_.confirmations, testing::IsEmpty());
}

TEST_F(SaveTextTest, AFileIsReplacedOnlyByAYes) {
  save_text(console_, path_, "first");
  save_text(console_, path_, "second");
  EXPECT_THAT(console_.confirmations.back(), testing::HasSubstr("a.txt exists. Replace it?"));
  EXPECT_EQ(read_file(path_), "first");
  console_.reply = "y";
  save_text(console_, path_, "second");
  EXPECT_EQ(read_file(path_), "second");
  EXPECT_EQ(console_.notices.size(), 2U);
}

TEST_F(SaveTextTest, AFaultIsThrown) {
  EXPECT_THROW(save_text(console_, (dir_ / "no/a.txt").string(), "x"), UserError);
  EXPECT_THROW(save_text(console_, "", "x"), UserError);
}

TEST(ExtensionTest, LanguagesHaveTheirExtensions) {
  EXPECT_EQ(extension_of("Python"), ".py");
  EXPECT_EQ(extension_of("c++"), ".cpp");
  EXPECT_EQ(extension_of("brainfuck"), ".txt");
  EXPECT_EQ(extension_of(""), ".txt");
}

}  // namespace
}  // namespace confab::app
