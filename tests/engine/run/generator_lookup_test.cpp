// SPDX-License-Identifier: MIT
// Answers with drafts are the answers without, to the token. How long drafts are depends on the
// time that passes take, so that no more can be said of it than that there were some.
#include <gtest/gtest.h>

#include "tests/engine/run/generator_rig.h"

namespace confab::engine {
namespace {

class GeneratorLookupTest : public testing::TestWithParam<const char*> {
 protected:
  // The answer of a fresh generator to each of the requests, one after the other.
  std::vector<Answer> answers(RigOptions options, const std::vector<GenerateRequest>& requests) {
    options.path = file.path();
    return run_all(options, requests);
  }
  // Returns how many drafted tokens were accepted.
  int expect_same_answers(RigOptions options, const std::vector<GenerateRequest>& requests) {
    options.lookup = true;
    const auto with = answers(options, requests);
    options.lookup = false;
    const auto without = answers(options, requests);
    int n_accepted = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      SCOPED_TRACE(i);
      expect_same(with[i], without[i]);
      EXPECT_EQ(without[i].end.stats.n_drafted, 0);
      EXPECT_LE(with[i].end.stats.n_accepted, with[i].end.stats.n_drafted);
      n_accepted += with[i].end.stats.n_accepted;
    }
    return n_accepted;
  }

  const TinyModelFile file{circling_model(GetParam())};
};

// What a model of noise writes greedily soon goes in circles.
TEST_P(GeneratorLookupTest, GreedyAnswersAreTheSame) {
  std::vector<GenerateRequest> requests;
  for (const char* text : {"hello", "again and again and again", "1 2 3 1 2 3 1 2"}) {
    requests.push_back(greedy(text, 200));
  }
  EXPECT_GT(expect_same_answers({}, requests), 0);
}

TEST_P(GeneratorLookupTest, SampledAnswersAreTheSame) {
  std::vector<GenerateRequest> requests;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    GenerateRequest request = greedy("on and on and on", 120);
    request.sampling = {.temperature = 0.1F + 0.1F * static_cast<float>(seed % 4),
                        .top_k = seed % 3 == 0 ? 5 : 40,
                        .top_p = seed % 2 == 0 ? 1 : 0.9F,
                        .repeat_penalty = seed % 4 == 3 ? 1.1F : 1,
                        .frequency_penalty = seed % 5 == 4 ? 0.2F : 0,
                        .seed = seed};
    requests.push_back(request);
  }
  EXPECT_GT(expect_same_answers({}, requests), 0);
}

TEST_P(GeneratorLookupTest, TheNextTurnsAreTheSame) {
  RigOptions options{.path = file.path()};
  Rig with(options);
  options.lookup = false;
  Rig without(options);
  GenerateRequest request = greedy("tell me and tell me", 60);
  for (int turn = 0; turn < 5; ++turn) {
    SCOPED_TRACE(turn);
    const Answer a = with.run(request), b = without.run(request);
    expect_same(a, b);
    EXPECT_EQ(a.end.stats.n_cached, b.end.stats.n_cached);
    request = next_turn(request, a, "and on");
  }
}

TEST_P(GeneratorLookupTest, EveryLengthAndEveryContextEndsAlike) {
  std::vector<GenerateRequest> requests;
  for (int n = 0; n < 40; ++n) requests.push_back(greedy("again and again", n));
  expect_same_answers({}, requests);
  for (int n_ctx = 64; n_ctx < 84; ++n_ctx) {
    SCOPED_TRACE(n_ctx);
    expect_same_answers({.n_ctx = n_ctx}, {greedy("again and again", -1)});
  }
  expect_same_answers({.n_batch = 3}, {greedy("again and again", 60)});
  expect_same_answers({.n_batch = 1}, {greedy("again and again", 60)});
}

TEST_P(GeneratorLookupTest, StopStringsEndInTheMiddleOfADraft) {
  const Answer whole = answers({}, {greedy("again and again", 120)})[0];
  ASSERT_GT(whole.end.stats.n_accepted, 0);
  for (std::size_t at = 10; at + 3 < whole.text.size() && at < 90; at += 7) {
    GenerateRequest request = greedy("again and again", 120);
    request.stop = {whole.text.substr(at, 3)};
    expect_same_answers({}, {request, greedy("again and again", 30)});
  }
}

// The cache holds what the answer has, wherever it was stopped.
TEST_P(GeneratorLookupTest, ACancelledAnswerIsABeginning) {
  RigOptions options{.path = file.path()};
  Rig rig(options);
  const Answer whole = rig.run(greedy("again and again", 100));
  for (const int pos : {60, 75, 90}) {
    std::stop_source stop;
    AtPosition cancel(pos, [&stop] { stop.request_stop(); });
    options.table = cancel.table();
    Rig cancelled(options);
    const Answer part = cancelled.run(greedy("again and again", 100), stop.get_token());
    EXPECT_EQ(part.end.reason, FinishReason::cancelled);
    ASSERT_LT(part.end.tokens.size(), whole.end.tokens.size());
    EXPECT_TRUE(
        std::equal(part.end.tokens.begin(), part.end.tokens.end(), whole.end.tokens.begin()));
    EXPECT_EQ(cancelled.n_tokens(), part.end.n_ctx_used);
    expect_same(cancelled.run(greedy("again and again", 100)), whole);
  }
}

TEST_P(GeneratorLookupTest, PassesAreCounted) {
  const Answer answer = answers({}, {greedy("again and again", 150)})[0];
  const GenerateStats& stats = answer.end.stats;
  EXPECT_EQ(stats.n_passes + stats.n_accepted, stats.n_generated - 1);
  EXPECT_GT(stats.tokens_per_pass(), 1);
  EXPECT_GT(answer.tokens_per_pass, 1) << "told with the text, too";
  EXPECT_GT(stats.n_drafted, 0);
}

INSTANTIATE_TEST_SUITE_P(, GeneratorLookupTest, testing::ValuesIn(kDraftedArchitectures),
                         architecture_name);

}  // namespace
}  // namespace confab::engine
