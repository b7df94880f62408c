// SPDX-License-Identifier: MIT
#include "app/transfer/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"

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

TEST(ExportTest, ALongTitleIsCutAtAWholeCharacter) {
  std::string long_title;
  for (int i = 0; i < 100; ++i) long_title += "狐";
  const std::string path = export_target("html", long_title).path;
  EXPECT_LE(path.size(), 255U);
  EXPECT_EQ(path.size() % 3, std::string(".html").size() % 3) << "no part of a character";
  EXPECT_TRUE(path.ends_with("狐.html"));
  EXPECT_EQ(export_target("", std::string(300, 'a')).path, std::string(252, 'a') + ".md");
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
