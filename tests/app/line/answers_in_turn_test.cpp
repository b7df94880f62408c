// SPDX-License-Identifier: MIT
#include "app/line/answers_in_turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace confab::app {
namespace {

using ::testing::ElementsAre;

class AnswersInTurnTest : public testing::Test, public AnswerSink {
 protected:
  void progress(std::size_t answer, const AnswerWait&) override { add(answer, "reading"); }
  void reasoning(std::size_t answer, const engine::ReasoningDelta& delta) override {
    add(answer, "(" + delta.text);
  }
  bool text(std::size_t answer, const engine::TextDelta& delta) override {
    add(answer, delta.text);
    return true;
  }
  void ended(std::size_t answer, const AnswerOutcome&) override { add(answer, "."); }
  void add(std::size_t answer, const std::string& what) {
    got_.push_back(std::to_string(answer) + " " + what);
  }

  std::vector<std::string> got_;
  AnswersInTurn in_turn_{*this};
};

TEST_F(AnswersInTurnTest, WhatComesTooEarlyWaits) {
  in_turn_.progress(1, engine::PrefillProgress{1, 2, 0});
  in_turn_.progress(0, engine::PrefillProgress{1, 2, 0});
  in_turn_.text(0, {"a", 1});
  in_turn_.reasoning(1, {"hm", 1});
  in_turn_.text(2, {"c", 1});
  in_turn_.text(1, {"b", 2});
  in_turn_.ended(2, {});
  in_turn_.text(0, {"A", 2});
  in_turn_.text(1, {"B", 3});
  in_turn_.ended(0, {});
  in_turn_.text(1, {"!", 4});
  in_turn_.ended(1, {});
  EXPECT_THAT(got_, ElementsAre("0 reading", "0 a", "0 A", "0 .", "1 (hm", "1 bB", "1 !", "1 .",
                                "2 c", "2 ."));
}

}  // namespace
}  // namespace confab::app
