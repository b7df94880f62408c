// SPDX-License-Identifier: MIT
// What comes of standard input is tested with the program: tests/app/line/once_test.cpp.
#include "app/line/given_question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GivenQuestionTest : public testing::Test {
 protected:
  Question read(const std::string& text, const std::vector<std::string>& files) {
    ChatOptions options;
    options.prompt = text;
    options.files = files;
    options.read_stdin = false;
    options.n_predict = 7;
    options.instruction = instruction_;
    return read_question(options, [this](std::string_view line) { told_.emplace_back(line); });
  }
  TempDir dir_;
  std::vector<std::string> instruction_;
  std::vector<std::string> told_;
};

TEST_F(GivenQuestionTest, FilesComeInTheirOrderWithTheText) {
  const std::string b = dir_.file("b.txt", "beta"), a = dir_.file("a.txt", "alpha");
  const Question question = read("Compare", {b, a});
  EXPECT_EQ(question.text, "Compare");
  ASSERT_EQ(question.attachments.size(), 2U);
  EXPECT_EQ(question.attachments[0].name, "b.txt");
  EXPECT_EQ(question.attachments[1].content, "alpha");
  EXPECT_EQ(question.options->n_predict, 7);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(GivenQuestionTest, TheInstructionOfATemplateStandsAboveTheTextOrAroundIt) {
  instruction_ = {"Translate."};
  EXPECT_EQ(read("Hello", {}).text, "Translate.\n\nHello");
  EXPECT_EQ(read("", {dir_.file("a.txt", "alpha")}).text, "Translate.");
  instruction_ = {"Translate ", " now."};
  EXPECT_EQ(read("Hello", {}).text, "Translate Hello now.");
}

TEST_F(GivenQuestionTest, WhatWasNotReadAsItIsIsTold) {
  read("What?", {dir_.file("a.txt", "caf\xE9")});
  EXPECT_THAT(told_, ElementsAre("a.txt: read as Latin-1"));
}

TEST_F(GivenQuestionTest, WhatCannotBeReadIsAnError) {
  EXPECT_THROW(read("What?", {(dir_ / "none").string()}), UserError);
  EXPECT_THROW(read("What?", {dir_.file("a.bin", std::string("\0", 1))}), UserError);
}

}  // namespace
}  // namespace confab::app
