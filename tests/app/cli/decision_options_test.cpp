// SPDX-License-Identifier: MIT
#include "app/cli/question_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/cli.h"
#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ChatOptions parsed(const std::vector<std::string>& words) {
  return std::get<ChatOptions>(parse_command_line(words, {}));
}

std::string fault(const std::vector<std::string>& words) {
  try {
    parsed(words);
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(DecisionOptionsTest, AQuestionMayBeTheArgumentOrThatOfThePrompt) {
  const ChatOptions own = parsed({"--yes-no", "Is it?", "a.txt"});
  EXPECT_TRUE(own.decision.yes_no);
  EXPECT_EQ(own.prompt, "Is it?");
  EXPECT_THAT(own.files, ElementsAre("a.txt"));
  const ChatOptions before = parsed({"--yes-no", "-p", "Is it?", "a.txt"});
  const ChatOptions after = parsed({"-p", "Is it?", "--yes-no", "a.txt"});
  for (const ChatOptions& options : {before, after}) {
    EXPECT_TRUE(options.decision.yes_no);
    EXPECT_EQ(options.prompt, "Is it?");
    EXPECT_THAT(options.files, ElementsAre("a.txt"));
  }
  EXPECT_EQ(parsed({"--yes-no"}).prompt, "");
  EXPECT_EQ(parsed({"--yes-no", "--json"}).prompt, "");
  EXPECT_TRUE(parsed({"--yes-no", "--json"}).decision.json);
  EXPECT_FALSE(parsed({"-p", "Is it?"}).decision.is_wanted());
}

TEST(DecisionOptionsTest, ChoicesAreSplitAndTrimmed) {
  const ChatOptions options =
      parsed({"--choose", " bug, new feature ,question,", "--threshold", "0.7"});
  EXPECT_THAT(options.decision.choices, ElementsAre("bug", "new feature", "question"));
  EXPECT_FLOAT_EQ(options.decision.threshold, 0.7F);
  EXPECT_EQ(options.prompt, "");
  const TempDir folder;
  const std::string file = folder.file("c.txt", "one, two\r\n\nthree\n");
  EXPECT_THAT(parsed({"--choose-from", file}).decision.choices, ElementsAre("one, two", "three"));
}

TEST(DecisionOptionsTest, WhatMakesNoDecisionIsRefused) {
  EXPECT_THAT(fault({"--choose", "one"}), HasSubstr("at least two"));
  EXPECT_THAT(fault({"--choose", "a,b,a"}), HasSubstr("'a' is there twice"));
  EXPECT_THAT(fault({"--choose", "a,b", "--yes-no", "Is it?"}), HasSubstr("give one"));
  EXPECT_THAT(fault({"--yes-no", "Is it?", "-C"}), HasSubstr("--continue"));
  EXPECT_THAT(fault({"--yes-no", "Is it?", "--n", "3"}), HasSubstr("--n"));
  EXPECT_THAT(fault({"--yes-no=Is it?", "-p", "Or not?"}), HasSubstr("twice"));
  EXPECT_THAT(fault({"-p", "Is it?", "--threshold", "0.5"}), HasSubstr("only with --yes-no"));
  EXPECT_THAT(fault({"--yes-no", "Is it?", "--threshold", "7"}), HasSubstr("from 0 to 1"));
  EXPECT_THAT(fault({"--choose-from", "/nowhere/at/all"}), HasSubstr("/nowhere/at/all"));
}

}  // namespace
}  // namespace confab::app
