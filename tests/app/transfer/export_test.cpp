// SPDX-License-Identifier: MIT
#include "app/transfer/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ExportTest, FormatsFollowFromWordsAndFileNames) {
  EXPECT_EQ(export_format("html"), ExportFormat::html);
  EXPECT_THROW(export_format("pdf"), UserError);
  EXPECT_EQ(format_of_file("a/b.json"), ExportFormat::json);
  EXPECT_EQ(format_of_file("b.htm"), ExportFormat::html);
  EXPECT_EQ(format_of_file("b.txt"), ExportFormat::markdown);
  EXPECT_EQ(format_of_file(""), ExportFormat::markdown);
}

TEST(ExportTest, ATargetIsAFormatAndAFile) {
  EXPECT_EQ(export_target("x y.json", "t").path, "x y.json");
  EXPECT_EQ(export_target("x y.json", "t").format, ExportFormat::json);
  EXPECT_EQ(export_target("html  out", "t").path, "out");
  EXPECT_EQ(export_target("html out", "t").format, ExportFormat::html);
  EXPECT_EQ(export_target("json", "What's \"/../a b\"?").path, "What-s-..-a-b.json");
  EXPECT_EQ(export_target("", "Füchse").path, "Füchse.md");
  EXPECT_EQ(export_target("", "../..").path, "conversation.md");
  EXPECT_EQ(export_target("", "-rf").path, "rf.md");
}

TEST(ExportTest, AFileIsThereWholeOrNotAtAll) {
  const TempDir dir;
  const std::string path = dir.file("a.md", "old");
  write_export({.format = ExportFormat::markdown, .path = path}, "new");
  EXPECT_EQ(read_file(path), "new");
  EXPECT_THROW(write_export({.path = (dir / "no/such/dir.md").string()}, "x"), UserError);
  EXPECT_THROW(write_export({.path = dir.path().string()}, "x"), UserError);
  int n_files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir.path()))
    ++n_files;
  EXPECT_EQ(n_files, 1);
}

TEST(ExportTest, EachFormatIsWritten) {
  sessions::ConversationTree tree;
  tree.messages.resize(1);
  tree.messages[0].id = tree.conversation.head = sessions::MessageId{1};
  tree.messages[0].content = "What?";
  EXPECT_THAT(export_conversation(tree, ExportFormat::markdown), HasSubstr("## You\n\nWhat?"));
  EXPECT_THAT(export_conversation(tree, ExportFormat::html), StartsWith("<!doctype html>"));
  EXPECT_THAT(export_conversation(tree, ExportFormat::json), StartsWith("{"));
}

}  // namespace
}  // namespace confab::app
