// SPDX-License-Identifier: MIT
#include "app/cli/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;

ConversationOptions parse(std::vector<std::string> words) {
  return std::get<ConversationOptions>(parse_command_line(std::move(words), {}));
}

TEST(CliConversationsTest, EachCommandHasItsAction) {
  EXPECT_EQ(parse({"list"}).action, ConversationAction::list);
  EXPECT_EQ(parse({"list", "-n", "5"}).limit, 5);
  EXPECT_EQ(parse({"search", "red", "fox"}).text, "red fox");
  EXPECT_EQ(parse({"search", "red", "fox"}).action, ConversationAction::search);
  EXPECT_EQ(parse({"pin", "foxes"}).name, "foxes");
  EXPECT_EQ(parse({"unpin", "12"}).action, ConversationAction::unpin);
  const auto renamed = parse({"rename", "12", "A", "new", "title"});
  EXPECT_EQ(renamed.name, "12");
  EXPECT_EQ(renamed.text, "A new title");
  EXPECT_FALSE(parse({"delete", "12"}).yes);
  EXPECT_TRUE(parse({"delete", "--yes", "12"}).yes);
  const auto written = parse({"export", "foxes", "--format", "html", "-o", "x"});
  EXPECT_EQ(written.format, "html");
  EXPECT_EQ(written.output, "x");
  EXPECT_FALSE(written.force);
  EXPECT_TRUE(parse({"export", "foxes", "-o", "x", "--force"}).force);
  EXPECT_THAT(parse({"import", "a.json", "b.json"}).files, ElementsAre("a.json", "b.json"));
}

TEST(CliConversationsTest, WhatIsMissingOrUnknownIsWrongUsage) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"search"},
                                             {"pin"},
                                             {"rename", "12"},
                                             {"export"},
                                             {"import"},
                                             {"delete"},
                                             {"export", "1", "--format", "pdf"},
                                             {"list", "--yes"},
                                             {"list", "-n", "0"}})
    EXPECT_THROW(parse(words), UsageError) << words[0];
  EXPECT_FALSE(std::holds_alternative<ConversationOptions>(parse_command_line({"bench"}, {})));
  EXPECT_FALSE(std::holds_alternative<ConversationOptions>(parse_command_line({}, {})));
}

TEST(CliConversationsTest, EachHasHelp) {
  for (const char* command :
       {"list", "search", "rename", "pin", "unpin", "delete", "export", "import"}) {
    const Invocation help = parse_command_line({command, "--help"}, {});
    EXPECT_TRUE(std::holds_alternative<PrintAndExit>(help)) << command;
  }
}

}  // namespace
}  // namespace confab::app
