// SPDX-License-Identifier: MIT
// Several answers in flight: each is what it would be alone, and what they share is computed once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/engine/run/generator_rig.h"

namespace confab::engine {
namespace {

class GeneratorBatchTest : public testing::Test {
 protected:
  // Each of these alone.
  std::vector<Answer> alone(RigOptions options, const std::vector<GenerateRequest>& requests) {
    options.path = file.path();
    std::vector<Answer> answers;
    for (const GenerateRequest& request : requests) answers.push_back(Rig(options).run(request));
    return answers;
  }
  std::vector<Answer> together(RigOptions options, const std::vector<GenerateRequest>& requests) {
    options.path = file.path();
    Rig rig(options);
    for (std::size_t i = 0; i < requests.size(); ++i) rig.start(requests[i], i + 1);
    return rig.finish(requests.size());
  }

  const TinyModelFile file{{.n_ctx = 4096}};
};

std::vector<GenerateRequest> of_one_prompt(int n, const std::string& text) {
  std::vector<GenerateRequest> requests;
  for (int i = 0; i < n; ++i) {
    requests.push_back(greedy(text, 30 + 10 * i));
    requests.back().sampling = {.temperature = 1.5F, .seed = static_cast<std::uint64_t>(i)};
  }
  return requests;
}

TEST_F(GeneratorBatchTest, AnswersToOnePromptReadItOnceAndAreThoseOfEachAlone) {
  const auto requests = of_one_prompt(5, long_text(60));
  const std::vector<Answer> want = alone({}, requests);
  for (const int n_threads : {1, 3}) {
    const std::vector<Answer> got = together({.n_threads = n_threads}, requests);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      SCOPED_TRACE(i);
      expect_same(got[i], want[i]);
      EXPECT_EQ(got[i].end.stats.n_cached, i == 0 ? 0 : got[i].end.stats.n_prompt - 1);
    }
  }
}

TEST_F(GeneratorBatchTest, EverySamplerChoosesWhatItChoosesAlone) {
  std::vector<SamplerParams> settings(6, {.temperature = 1.2F, .top_k = 0});
  settings[0].typical_p = 0.8F;
  settings[1].xtc_probability = 0.5F;
  settings[2].mirostat = 1;
  settings[3].mirostat = 2;
  settings[4].dry_multiplier = 0.8F;
  settings[4].dynatemp_range = 0.5F;
  settings[5].top_n_sigma = 1.5F;
  settings[5].ignore_eos = true;
  settings[5].logit_bias = {{.token = 5, .bias = 2}};
  std::vector<GenerateRequest> requests;
  for (SamplerParams& params : settings) {
    params.seed = requests.size();
    requests.push_back(greedy("again and again and again", 60));
    requests.back().sampling = params;
  }
  const std::vector<Answer> want = alone({}, requests);
  for (const int n_threads : {1, 3}) {
    const std::vector<Answer> got = together({.n_threads = n_threads}, requests);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      SCOPED_TRACE(i);
      expect_same(got[i], want[i]);
    }
  }
}

TEST_F(GeneratorBatchTest, DifferentPromptsShareWhatTheyHaveInCommon) {
  std::vector<GenerateRequest> requests;
  for (const int n : {60, 3, 75, 40}) requests.push_back(greedy(long_text(n), 25));
  requests[1].sampling = {.repeat_penalty = 1.3F, .seed = 4};
  const std::vector<Answer> want = alone({.n_batch = 64}, requests);
  const std::vector<Answer> got = together({.n_batch = 64}, requests);
  for (std::size_t i = 0; i < requests.size(); ++i) expect_same(got[i], want[i]);
  EXPECT_GT(got[2].end.stats.n_cached, 300);
}

// How much of each prompt is told to be read after one pass; 0: it waits.
std::vector<int> n_read(Rig& rig, std::size_t n) {
  rig.generator.step();
  std::vector<int> read(n);
  while (const auto event = rig.events.pop())
    if (const auto* progress = std::get_if<PrefillProgress>(&event->event))
      read.at(static_cast<std::size_t>(event->answer) - 1) = progress->n_done;
  return read;
}

TEST_F(GeneratorBatchTest, ShortPromptsAreReadInOnePass) {
  std::vector<GenerateRequest> requests;
  for (int i = 0; i < 4; ++i) requests.push_back(greedy(std::to_string(i), 20));
  const std::vector<Answer> want = alone({}, requests);
  Rig rig({.path = file.path()});
  for (std::size_t i = 0; i < requests.size(); ++i) rig.start(requests[i], i + 1);
  const std::vector<int> read = n_read(rig, requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    EXPECT_EQ(read[i], want[i].end.stats.n_prompt) << i;
  const std::vector<Answer> got = rig.finish(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    EXPECT_EQ(got[i].end.tokens, want[i].end.tokens);
}

TEST_F(GeneratorBatchTest, LongPromptsFillPassesOneAfterTheOther) {
  std::vector<GenerateRequest> requests;
  for (int i = 0; i < 3; ++i) requests.push_back(greedy(std::to_string(i) + long_text(20), 20));
  const std::vector<Answer> want = alone({.n_batch = 48}, requests);
  Rig rig({.path = file.path(), .n_batch = 48});
  for (std::size_t i = 0; i < requests.size(); ++i) rig.start(requests[i], i + 1);
  const std::vector<int> read = n_read(rig, 3);
  EXPECT_GT(read[0], 0);
  EXPECT_EQ(read[1] + read[2], 0) << "the first pass is full";
  const std::vector<Answer> got = rig.finish(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    EXPECT_EQ(got[i].end.tokens, want[i].end.tokens);
}

TEST_F(GeneratorBatchTest, WhatBeginsAsAnotherPromptWaitsUntilThatIsRead) {
  Rig rig({.path = file.path(), .n_batch = 48});
  rig.start(greedy(long_text(20) + "one", 20), 1);
  rig.start(greedy(long_text(20) + "two", 20), 2);
  rig.start(greedy("three", 20), 3);
  const std::vector<int> read = n_read(rig, 3);
  EXPECT_GT(read[0], 0);
  EXPECT_EQ(read[1], 0);
  const std::vector<Answer> got = rig.finish(3);
  EXPECT_EQ(got[0].end.stats.n_cached, 0);
  EXPECT_GT(got[1].end.stats.n_cached, 2 * got[1].end.stats.n_prompt / 3);
}

// They come and go at any time; nobody is disturbed.
TEST_F(GeneratorBatchTest, AnswersThatBeginLaterOrAreStoppedDisturbNobody) {
  const auto requests = of_one_prompt(4, "again and again");
  const std::vector<Answer> want = alone({}, requests);
  Rig rig({.path = file.path()});
  std::stop_source stop;
  rig.start(requests[0], 1);
  for (int i = 0; i < 7; ++i) rig.generator.step();
  rig.start(requests[1], 2);
  rig.start(greedy(long_text(80), -1), 5, stop.get_token());
  for (int i = 0; i < 9; ++i) rig.generator.step();
  rig.start(requests[2], 3);
  stop.request_stop();
  rig.generator.step();
  rig.start(requests[3], 4);
  const std::vector<Answer> got = rig.finish(5);
  for (std::size_t i = 0; i < 4; ++i) expect_same(got[i], want[i]);
  EXPECT_EQ(got[4].end.reason, FinishReason::cancelled);
}

TEST_F(GeneratorBatchTest, ABadRequestEndsAlone) {
  Rig rig({.path = file.path()});
  const GenerateRequest good = greedy("hello", 10);
  GenerateRequest bad = good;
  bad.sampling.top_p = 2;
  rig.start(good, 1);
  rig.start(bad, 2);
  EXPECT_THROW(rig.finish(2), ModelError);
  Rig other({.path = file.path()});
  other.start(good, 1);
  other.start(greedy(long_text(3000), 5), 2);
  while (other.generator.is_busy()) other.generator.step();
  bool failed = false, finished = false;
  while (const auto event = other.events.pop()) {
    failed |= std::holds_alternative<Failed>(event->event) && event->answer == AnswerId{2};
    finished |= std::holds_alternative<Finished>(event->event) && event->answer == AnswerId{1};
  }
  EXPECT_TRUE(failed);
  EXPECT_TRUE(finished);
}

// There are pages for one context, which the answers share: who finds none waits, and one that
// would never get any ends.
TEST_F(GeneratorBatchTest, AnswersWaitForPages) {
  std::vector<GenerateRequest> requests;
  for (int i = 0; i < 4; ++i) requests.push_back(greedy(std::to_string(i) + long_text(70), 20));
  const std::vector<Answer> want = alone({}, requests);
  ASSERT_GT(want[0].end.n_ctx_used, kBlockTokens);
  const std::vector<Answer> got = together({.n_pages = 4}, requests);
  for (std::size_t i = 0; i < requests.size(); ++i) expect_same(got[i], want[i]);

  const auto endless = together({.n_pages = 4}, {greedy(long_text(40), -1), greedy("a", -1)});
  EXPECT_EQ(endless[0].end.reason, FinishReason::context_full);
  EXPECT_EQ(endless[1].end.reason, FinishReason::context_full);
  EXPECT_GT(endless[0].end.n_ctx_used, 700) << "the first goes on to the end";
}

TEST_F(GeneratorBatchTest, RandomCompanyNeverChangesAnAnswer) {
  std::mt19937 rng(20261122);
  for (int round = 0; round < 6; ++round) {
    const int n = 2 + static_cast<int>(rng() % 6);
    std::vector<GenerateRequest> requests;
    for (int i = 0; i < n; ++i) {
      requests.push_back(
          greedy(long_text(1 + static_cast<int>(rng() % 50)), 1 + static_cast<int>(rng() % 50)));
      if (rng() % 2 == 0) requests.back().sampling = {.temperature = 2, .seed = rng()};
    }
    const std::vector<Answer> want = alone({.n_batch = 48}, requests);
    RigOptions options{.path = file.path(), .n_ctx = 2048, .n_batch = 48};
    Rig rig(options);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      rig.start(requests[i], i + 1);
      for (std::size_t k = rng() % 20; k > 0 && rig.generator.is_busy(); --k) rig.generator.step();
    }
    const std::vector<Answer> got = rig.finish(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) expect_same(got[i], want[i]);
  }
}

}  // namespace
}  // namespace confab::engine
