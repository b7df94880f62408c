// SPDX-License-Identifier: MIT
#include "engine/run/answer_state.h"

#include <gtest/gtest.h>

#include "engine/model/model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

class AnswerStateTest : public testing::Test {
 protected:
  AnswerState answer(int n_predict, std::vector<std::string> stop = {}) {
    return {{},
            n_predict,
            AnswerState::Clock::now(),
            {},
            {events, AnswerId{1}},
            Sampler({}, 300),
            AnswerText(tokenizer, std::move(stop)),
            ReasoningBudget(-1)};
  }

  const TinyModelFile file;
  const std::unique_ptr<const Model> model = Model::load(file.path());
  const Tokenizer& tokenizer = *model->tokenizer;
  EventQueue events;
};

TEST_F(AnswerStateTest, CountsSampledTokensAndTheirTime) {
  AnswerState state = answer(2);
  EXPECT_FALSE(state.is_full_length());
  state.count();
  EXPECT_EQ(state.stats.n_generated, 1);
  EXPECT_EQ(state.stats.decode.count(), 0);
  EXPECT_GE(state.stats.ttft.count(), 0);
  state.count();
  EXPECT_TRUE(state.is_full_length());
  EXPECT_FALSE(answer(-1).is_full_length());
}

// A token that ends inside a character is told with the one that completes it.
TEST_F(AnswerStateTest, TellsTokensWithTheTextThatTheyMade) {
  AnswerState state = answer(-1);
  const std::vector<Token> tokens = tokenizer.encode("aé", false);
  ASSERT_EQ(tokens.size(), 3U);  // é is two bytes, each a token
  EXPECT_FALSE(state.add(tokenizer, tokens[0]));
  const auto first = std::get<TextDelta>(events.pop().value().event);
  EXPECT_FALSE(state.add(tokenizer, tokens[1]));
  EXPECT_FALSE(events.pop().has_value());
  EXPECT_FALSE(state.add(tokenizer, tokens[2]));
  const auto second = std::get<TextDelta>(events.pop().value().event);
  EXPECT_EQ(state.tokens, tokens);
  EXPECT_EQ(first.text, "a");
  EXPECT_EQ(first.tokens, std::vector(1, tokens[0]));
  EXPECT_EQ(second.text, "é");
  EXPECT_EQ(second.tokens, std::vector(tokens.begin() + 1, tokens.end()));
  EXPECT_EQ(second.n_generated, 3);
  EXPECT_EQ(state.begin_for_events(), 0);
}

TEST_F(AnswerStateTest, AStopStringEndsItAndIsNotTold) {
  AnswerState state = answer(-1, {"stop"});
  bool stopped = false;
  for (const Token token : tokenizer.encode("go stop", false))
    stopped = state.add(tokenizer, token);
  EXPECT_TRUE(stopped);
  state.finish_text();
  std::string text;
  while (auto event = events.pop()) text += std::get<TextDelta>(event->event).text;
  EXPECT_EQ(text, "go ");
}

}  // namespace
}  // namespace confab::engine
