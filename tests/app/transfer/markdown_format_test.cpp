// SPDX-License-Identifier: MIT
#include "app/transfer/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace confab::app {
namespace {

using sessions::Message;
using sessions::MessageId;
using sessions::Role;
using ::testing::HasSubstr;
using ::testing::Not;

Message message(int id, int parent, Role role, std::string content) {
  Message out;
  out.id = MessageId{id};
  if (parent > 0) out.parent = MessageId{parent};
  out.role = role;
  out.content = std::move(content);
  return out;
}

TEST(ExportMarkdownTest, TheShownBranchWithItsSpeakers) {
  sessions::ConversationTree tree;
  tree.conversation.title = "Foxes\nand \x1b[31mdens";
  tree.messages = {message(1, 0, Role::system, "Be brief."), message(2, 1, Role::user, "Why?"),
                   message(3, 2, Role::assistant, "Left."),
                   message(4, 2, Role::assistant, "Right.")};
  tree.messages[3].model = "demo";
  tree.messages[3].reasoning = "Hm.\nWell.";
  tree.messages[1].attachments = {sessions::make_attachment("a.md", "alpha\n"),
                                  {"old.md", 5, "00ff", std::nullopt}};
  tree.conversation.head = MessageId{4};
  const std::string text = to_markdown(tree);
  EXPECT_THAT(text, HasSubstr("# Foxes and "));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("## System prompt\n\nBe brief.\n"));
  EXPECT_THAT(text, HasSubstr("## You\n\n*old.md, 5 bytes*\n\na.md:\n```\nalpha\n```\n\nWhy?\n"));
  EXPECT_THAT(text, HasSubstr("## demo\n\n> Hm.\n> Well.\n\nRight.\n"));
  EXPECT_THAT(text, Not(HasSubstr("Left.")));
}

TEST(ExportMarkdownTest, APathGoesFromTheFirstMessageToTheHead) {
  sessions::ConversationTree tree;
  tree.messages = {message(1, 0, Role::user, "a"), message(2, 0, Role::user, "b"),
                   message(3, 1, Role::user, "c")};
  tree.conversation.head = MessageId{3};
  const auto path = shown_path(tree);
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(path[0]->content, "a");
  EXPECT_EQ(path[1]->content, "c");
  tree.conversation.head = MessageId{9};
  EXPECT_TRUE(shown_path(tree).empty());
}

}  // namespace
}  // namespace confab::app
