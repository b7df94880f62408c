// SPDX-License-Identifier: MIT
// Scoring through the model that the program sees, on its generation thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>

#include "engine/run/local_chat_model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

// The ends of these, by answer; the test fails after a minute without an event.
std::map<AnswerId, Event> ends_of(ChatModel& model, std::size_t n) {
  std::map<AnswerId, Event> ends;
  while (ends.size() < n) {
    if (auto event = model.next_event()) {
      if (is_end(event->event)) ends.emplace(event->answer, std::move(event->event));
      continue;
    }
    pollfd entry{model.wake_fd(), POLLIN, 0};
    if (::poll(&entry, 1, 60000) != 1) throw std::runtime_error("no event came");
  }
  return ends;
}

ScoreRequest question(std::vector<std::string> options) {
  return {.turns = {{{"user", "Is it so?"}}}, .options = std::move(options)};
}

class LocalScoreTest : public testing::Test {
 protected:
  Scored score(const ScoreRequest& request) const {
    const AnswerId id = model->score(request);
    return std::get<Scored>(ends_of(*model, 1).at(id));
  }

  const TinyModelFile file{{.n_ctx = 8192}};
  const std::unique_ptr<ChatModel> model = load_chat_model({.path = file.path(), .n_threads = 2});
};

TEST_F(LocalScoreTest, OptionsComeAsOneEvent) {
  const Scored scored = score(question({"yes", "no", "perhaps"}));
  ASSERT_EQ(scored.options.size(), 3U);
  for (const OptionScore& option : scored.options) {
    EXPECT_LT(option.log_p, 0);
    EXPECT_LT(option.log_p_end, 0);
  }
  EXPECT_EQ(scored.stats.n_prompt, model->count_tokens(question({}).turns));
  EXPECT_FALSE(model->next_event());
}

TEST_F(LocalScoreTest, AnswersAndScoringsDoNotChangeEachOther) {
  GenerateRequest answer{.turns = {{{"user", "hello"}}}, .n_predict = 30};
  answer.sampling.temperature = 0;
  const auto tokens = [&](const Event& end) { return std::get<Finished>(end).tokens; };
  const AnswerId alone = model->generate(answer);
  const std::vector<Token> want = tokens(ends_of(*model, 1).at(alone));
  const Scored scored = score(question({"yes", "no"}));

  const AnswerId first = model->generate(answer), scoring = model->score(question({"yes", "no"})),
                 second = model->generate(answer);
  const auto ends = ends_of(*model, 3);
  EXPECT_EQ(tokens(ends.at(first)), want);
  EXPECT_EQ(tokens(ends.at(second)), want);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(std::get<Scored>(ends.at(scoring)).options[i].log_p, scored.options[i].log_p);
}

TEST_F(LocalScoreTest, WhatIsCancelledEndsAndTheNextOneIsScored) {
  ScoreRequest large = question({"yes", "no"});
  for (int i = 0; i < 1000; ++i) large.turns[0].message.content += " word" + std::to_string(i % 7);
  const AnswerId id = model->score(large);
  model->cancel(id);
  const auto ends = ends_of(*model, 1);
  const auto* finished = std::get_if<Finished>(&ends.at(id));
  ASSERT_NE(finished, nullptr);
  EXPECT_EQ(finished->reason, FinishReason::cancelled);
  EXPECT_EQ(score(question({"yes", "no"})).options.size(), 2U);
}

TEST_F(LocalScoreTest, AModelCanBeDestroyedWhileItScores) {
  ScoreRequest large = question({"yes", "no"});
  large.turns[0].message.content.assign(8000, 'x');
  const auto other = load_chat_model({.path = file.path(), .n_threads = 2});
  other->score(large);
}

TEST(BundledModelScoreTest, KnowsWhatItIsAsked) {
  const auto model = load_chat_model({.path = CONFAB_SOURCE_DIR "/models/confab-demo.gguf"});
  ScoreRequest request{
      .turns = {{{"user", "What is the capital of France?"}}},
      .options = {"The capital of France is Paris.", "The capital of France is Rome.",
                  "The capital of France is Berlin."}};
  model->score(request);
  const auto ends = ends_of(*model, 1);
  const auto& scored = std::get<Scored>(ends.begin()->second);
  EXPECT_GT(scored.options[0].log_p, scored.options[1].log_p + 1);
  EXPECT_GT(scored.options[0].log_p, scored.options[2].log_p + 1);
}

}  // namespace
}  // namespace confab::engine
