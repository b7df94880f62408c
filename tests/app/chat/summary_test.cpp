// SPDX-License-Identifier: MIT
#include "app/chat/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace confab::app {
namespace {

using engine::Turn;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Turn turn(const char* role, std::string text) {
  return {.message = {role, std::move(text)}};
}

std::vector<Turn> conversation(std::size_t n_bytes) {
  return {turn("system", "Be brief."), turn("user", std::string(n_bytes, 'a')),
          turn("assistant", std::string(n_bytes, 'b')), turn("user", std::string(n_bytes, 'c')),
          turn("assistant", std::string(n_bytes, 'd'))};
}

TEST(SummaryTest, WhatFitsIsToldWhole) {
  const SummaryRequest request(conversation(100), 120, 2048);
  EXPECT_FALSE(request.is_partial());
  const auto turns = request.turns();
  ASSERT_EQ(turns.size(), 6U);
  EXPECT_EQ(turns[1].message.content, std::string(100, 'a'));
  EXPECT_EQ(turns[5].message.role, "user");
  EXPECT_THAT(turns[5].message.content, StartsWith("Summarise our conversation"));
}

TEST(SummaryTest, OfAFullContextTheMostRecentPartIsTold) {
  const SummaryRequest request(conversation(1000), 1000, 1000);
  EXPECT_TRUE(request.is_partial());
  const auto turns = request.turns();
  EXPECT_EQ(turns.front().message.content, "Be brief.");
  EXPECT_EQ(turns[turns.size() - 2].message.content, std::string(1000, 'd'));
  std::size_t n_told = 0;
  for (const Turn& told : turns) n_told += told.message.content.size();
  EXPECT_LT(n_told, 3500U);
}

// Each role follows the other one, whatever has been left out.
TEST(SummaryTest, TheRolesAlternate) {
  SummaryRequest request(conversation(1000), 1000, 1000);
  do {
    const auto turns = request.turns();
    for (std::size_t i = 1; i < turns.size(); ++i)
      EXPECT_EQ(turns[i].message.role, i % 2 == 1 ? "user" : "assistant");
  } while (request.shorten());
  EXPECT_TRUE(request.is_partial());
}

TEST(SummaryTest, ACutIsBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "\xE2\x82\xAC";  // a euro sign
  SummaryRequest request({turn("user", text)}, 1000, 1000);
  EXPECT_TRUE(request.shorten());
  EXPECT_THAT(request.turns().front().message.content, StartsWith("\xE2\x82\xAC"));
}

TEST(SummaryTest, AQuestionWithoutAnAnswerAndTheRequestAreOneTurn) {
  const SummaryRequest request({turn("user", "Why?")}, 10, 1000);
  ASSERT_EQ(request.turns().size(), 1U);
  EXPECT_THAT(request.turns()[0].message.content, StartsWith("Why?\n\nSummarise"));
}

TEST(SummaryTest, ItStandsInTheSystemPrompt) {
  EXPECT_EQ(system_with_summary("", "We counted."),
            "Summary of the conversation so far:\nWe counted.");
  EXPECT_THAT(system_with_summary("Be kind.", "x"), StartsWith("Be kind.\n\nSummary"));
}

}  // namespace
}  // namespace confab::app
