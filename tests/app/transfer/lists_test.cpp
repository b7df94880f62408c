// SPDX-License-Identifier: MIT
#include "app/transfer/lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ConversationListsTest, AConversationIsALine) {
  std::vector<sessions::Conversation> all(2);
  all[0] = {.id = sessions::ConversationId{12}, .title = "Fox\nden \x1b[31m", .n_messages = 1234};
  all[0].pinned = true;
  all[1] = {.id = sessions::ConversationId{3}, .title = "Hen"};
  const std::string text = describe_conversations(all);
  EXPECT_THAT(text, HasSubstr("   12 * "));
  EXPECT_THAT(text, HasSubstr("1,234 messages  Fox den "));
  EXPECT_THAT(text, HasSubstr("    3   "));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(describe_conversations({}), "");
}

TEST(ConversationListsTest, AConversationHasANameThatMeansNoOther) {
  std::vector<sessions::Conversation> all(6);
  const char* titles[] = {"Fox", "Hen", "Hen", "2", "#1", ""};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].id = sessions::ConversationId{static_cast<std::int64_t>(i) + 1};
    all[i].title = titles[i];
  }
  EXPECT_THAT(names_of(all), testing::ElementsAre("Fox", "#2", "#3", "#4", "#5", "#6"));
  EXPECT_EQ(number_of(all[0].id), "#1");
}

TEST(ConversationListsTest, WhatWasFoundIsMarkedAndNothingElseDrivesTheTerminal) {
  std::vector<sessions::SearchHit> hits(1);
  hits[0].conversation = sessions::ConversationId{7};
  hits[0].title = "T\x1b[2J";
  hits[0].snippet = {.text = "a \x1b[31m fox and foxes", .marked = {{8, 11}, {16, 21}}};
  EXPECT_THAT(describe_hits(hits), HasSubstr("[fox] and [foxes]"));
  const std::string bold = describe_hits(hits, {.begin = "\x1b[1m", .end = "\x1b[22m"});
  EXPECT_THAT(bold, HasSubstr("\x1b[1mfox\x1b[22m and \x1b[1mfoxes\x1b[22m"));
  EXPECT_EQ(std::count(bold.begin(), bold.end(), '\x1b'), 4);
}

TEST(ConversationListsTest, BranchesAreNumberedAndTheShownOneMarked) {
  const std::vector<sessions::Branch> branches{
      {.n_messages = 4, .n_before = 3, .role = sessions::Role::assistant, .begin = "One"},
      {.n_messages = 6,
       .n_before = 2,
       .role = sessions::Role::user,
       .begin = "Two",
       .shown = true}};
  const std::string text = describe_branches(branches);
  EXPECT_THAT(text, HasSubstr("  1     4 messages, branches after message   3: assistant: One\n"));
  EXPECT_THAT(text, HasSubstr("  2 *   6 messages, branches after message   2: user: Two"));
}

TEST(ConversationListsTest, WithoutATerminalThereAreBrackets) {
  if (isatty(STDOUT_FILENO) != 0) GTEST_SKIP() << "standard output is a terminal";
  EXPECT_EQ(emphasis_for_stdout().begin, "[");
  setenv("CLICOLOR_FORCE", "1", 1);
  EXPECT_EQ(emphasis_for_stdout().begin, "\x1b[1m");
  unsetenv("CLICOLOR_FORCE");
}

}  // namespace
}  // namespace confab::app
