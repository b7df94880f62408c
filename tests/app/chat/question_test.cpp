// SPDX-License-Identifier: MIT
#include "app/chat/question.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

std::string prompt(const std::vector<std::pair<std::string, std::string>>& files,
                   const std::string& question) {
  std::vector<sessions::Attachment> attachments;
  for (const auto& [name, text] : files)
    attachments.push_back(sessions::make_attachment(name, text));
  return prompt_of(Question(question, attachments));
}

TEST(QuestionTest, AQuestionAloneStaysAsItIs) {
  EXPECT_EQ(prompt_of(Question("Why?")), "Why?");
}

TEST(QuestionTest, WhatIsPipedComesBeforeTheQuestion) {
  EXPECT_EQ(prompt({{"-", "one\ntwo\n"}}, "Summarise"), "one\ntwo\n\nSummarise");
  EXPECT_EQ(prompt({{"-", "no line end"}}, "Summarise"), "no line end\n\nSummarise");
}

TEST(QuestionTest, FilesAreNamedAndFenced) {
  EXPECT_EQ(prompt({{"a.md", "alpha\n"}, {"b.md", "beta"}}, "Compare"),
            "a.md:\n```\nalpha\n```\n\nb.md:\n```\nbeta\n```\n\nCompare");
}

TEST(QuestionTest, AFileCannotCloseItsFence) {
  EXPECT_EQ(prompt({{"x", "```\n````\n"}}, "?"), "x:\n`````\n```\n````\n`````\n\n?");
}

// Of schema version 2: what was attached is part of the question already.
TEST(QuestionTest, AnAttachmentWithoutContentAddsNothing) {
  const std::vector<sessions::Attachment> old{{"a.md", 5, "00ff", std::nullopt}};
  EXPECT_EQ(prompt_of(Question("a.md: alpha. Why?", old)), "a.md: alpha. Why?");
}

TEST(QuestionTest, IsKeptWithItsFilesApart) {
  const Question question("Why?", {sessions::make_attachment("a.md", "alpha")});
  const sessions::Message message = message_of(question);
  EXPECT_EQ(message.role, sessions::Role::user);
  EXPECT_EQ(message.content, "Why?");
  EXPECT_EQ(message.attachments, question.attachments);
  EXPECT_EQ(prompt_of(message), prompt_of(question));
}

}  // namespace
}  // namespace confab::app
