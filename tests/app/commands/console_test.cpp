// SPDX-License-Identifier: MIT
#include "app/commands/console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace confab::app {
namespace {

// A front end that has nothing of its own.
class BareConsole : public Console {
 public:
  void notice(const std::string& text) override { said.push_back(text); }
  void error(const std::string& text) override { said.push_back(text); }
  void show_conversation() override {}
  void show_answer() override {}
  void quit() override {}
  std::vector<std::string> said;
};

TEST(ConsoleTest, WhatOnlyAScreenHasIsToldInOneLine) {
  BareConsole console;
  console.ask_line("Save to:", "", {});
  console.edit_question(0);
  console.search_conversation();
  EXPECT_FALSE(console.set_theme({}));
  console.open_reasoning(true);
  EXPECT_FALSE(console.choose(PickerKind::theme));
  EXPECT_EQ(console.said.size(), 4u);
  for (const std::string& line : console.said) {
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_FALSE(line.empty());
  }
}

TEST(ConsoleTest, WhereNobodyCanBeAskedTheAnswerIsNo) {
  BareConsole console;
  bool said = false;
  console.confirm(
      "x.md exists. Overwrite it?", [&] { said = true; }, "choose another name");
  bool denied = false;
  console.confirm(
      "Sure?", [&] { said = true; }, "", [&] { denied = true; });
  EXPECT_FALSE(said);
  EXPECT_TRUE(denied);
  EXPECT_THAT(console.said, testing::ElementsAre(
                                "x.md exists. Overwrite it? Not a terminal, so nothing was done; "
                                "choose another name",
                                "Sure? Not a terminal, so nothing was done"));
}

TEST(ConsoleTest, OnlyAYesIsAYes) {
  for (const char* line : {"y", "Y", "yes", "YES", " y\t"}) EXPECT_TRUE(says_yes(line)) << line;
  for (const char* line : {"", " ", "n", "no", "yess", "y y", "1"})
    EXPECT_FALSE(says_yes(line)) << line;
}

TEST(ConsoleTest, CopyingSaysWhatBecameOfIt) {
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  BareConsole console;
  console.copy("x", "the answer");
  EXPECT_THAT(console.said, testing::ElementsAre(
                                "Cannot copy here: no wl-copy, xclip or xsel. Save to a file "
                                "instead? Not a terminal, so nothing was done; /export writes to a "
                                "file"));
  EXPECT_EQ(with_length("it", "Ünö"), "it (3 characters)");
  EXPECT_EQ(with_length("it", "ö"), "it (1 character)");
}

}  // namespace
}  // namespace confab::app
