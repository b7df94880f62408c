// SPDX-License-Identifier: MIT
// Answers with drafts of the model's own head are the answers without, to the token. How many
// tokens are guessed depends on the time that passes take, so that no more can be said of it than
// that there were some.
#include <gtest/gtest.h>

#include "tests/engine/nextn_model.h"
#include "tests/engine/run/generator_rig.h"

namespace confab::engine {
namespace {

// A head that guesses what comes, and one that knows nothing.
class GeneratorHeadTest : public testing::TestWithParam<const char*> {
 protected:
  GeneratorHeadTest() {
    const TinyModelFile model({.architecture = GetParam(), .n_ctx = 2048});
    const Gguf gguf(model.path());
    with_nextn(gguf, {.block = 1, .own_norm = false, .knows = true}).write(folder_ / "knows.gguf");
    with_nextn(gguf, {.block = 1}).write(folder_ / "noise.gguf");
  }

  // Returns what drafts there were, with look-up off and on.
  DraftCount expect_same_answers(const std::string& file,
                                 const std::vector<GenerateRequest>& requests,
                                 RigOptions options = {}) {
    options.path = folder_ / file;
    options.lookup = false;
    const std::vector<Answer> without = run_all(options, requests);
    DraftCount count;
    options.head = true;
    for (const bool lookup : {false, true}) {
      options.lookup = lookup;
      const std::vector<Answer> with = run_all(options, requests);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        SCOPED_TRACE(i);
        expect_same(with[i], without[i]);
        const GenerateStats& stats = with[i].end.stats;
        EXPECT_EQ(stats.n_drafted, stats.by_lookup.n_drafted + stats.by_heads.n_drafted);
        EXPECT_EQ(stats.n_accepted, stats.by_lookup.n_accepted + stats.by_heads.n_accepted);
        EXPECT_EQ(stats.by_model.n_drafted, 0);
        count.n_drafted += stats.by_heads.n_drafted;
        count.n_accepted += stats.by_heads.n_accepted;
      }
    }
    return count;
  }

  TemporaryFolder folder_;
};

TEST_P(GeneratorHeadTest, GreedyAnswersAreTheSame) {
  std::vector<GenerateRequest> requests;
  for (const char* text : {"hello", "again and again and again", "1 2 3 1 2 3 1 2"})
    requests.push_back(greedy(text, 150));
  const DraftCount right = expect_same_answers("knows.gguf", requests);
  EXPECT_GT(right.n_accepted, 0);
  EXPECT_GE(right.n_accepted, right.n_drafted * 9 / 10);
  const DraftCount wrong = expect_same_answers("noise.gguf", requests);
  EXPECT_GT(wrong.n_drafted, wrong.n_accepted);
}

TEST_P(GeneratorHeadTest, SampledAnswersAreTheSame) {
  std::vector<GenerateRequest> requests;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    GenerateRequest request = greedy("on and on and on", 100);
    request.sampling = {.temperature = 0.1F + 0.2F * static_cast<float>(seed % 4),
                        .top_k = seed % 3 == 0 ? 5 : 40,
                        .repeat_penalty = seed % 4 == 3 ? 1.1F : 1,
                        .seed = seed};
    requests.push_back(request);
  }
  EXPECT_GT(expect_same_answers("knows.gguf", requests).n_accepted, 0);
  expect_same_answers("noise.gguf", requests);
}

TEST_P(GeneratorHeadTest, EveryLengthAndEveryContextEndsAlike) {
  std::vector<GenerateRequest> requests;
  for (int n = 0; n < 20; ++n) requests.push_back(greedy("again and again", n));
  expect_same_answers("knows.gguf", requests);
  for (int n_ctx = 64; n_ctx < 72; ++n_ctx)
    expect_same_answers("knows.gguf", {greedy("again and again", -1)}, {.n_ctx = n_ctx});
}

// Guesses reach into a page that nobody has taken yet.
TEST_P(GeneratorHeadTest, GoesOnWhereThereAreNoPages) {
  GenerateRequest request = greedy(long_text(60), 200);
  expect_same_answers("knows.gguf", {request, request}, {.n_pages = 3});
}

// What recurrent layers remember is not stored.
class GeneratorHeadStoreTest : public GeneratorHeadTest {};

TEST_P(GeneratorHeadStoreTest, AConversationThatWasStoredGoesOn) {
  const GenerateRequest request = greedy(long_text(60), 60);
  const std::string path = folder_ / "knows.gguf";
  const Answer want = run_all({.path = path, .lookup = false}, {request})[0];
  MemoryBlockStore store;
  const RigOptions options{.path = path, .store = &store, .lookup = false, .head = true};
  run_all(options, {request});
  const Answer got = run_all(options, {request})[0];
  EXPECT_GE(got.end.stats.n_cached, kBlockTokens);
  EXPECT_GT(got.end.stats.by_heads.n_accepted, 0);
  expect_same(got, want);
}

TEST_P(GeneratorHeadTest, AnswersTogetherAreEachAlone) {
  const std::string path = folder_ / "knows.gguf";
  const std::vector<GenerateRequest> requests{greedy("hello", 50), greedy("and then", 80),
                                              greedy("again", 120)};
  const std::vector<Answer> alone = run_all({.path = path, .lookup = false}, requests);
  Rig rig({.path = path, .lookup = false, .head = true});
  for (std::size_t i = 0; i < requests.size(); ++i) rig.start(requests[i], i + 1);
  const std::vector<Answer> together = rig.finish(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) expect_same(together[i], alone[i]);
}

INSTANTIATE_TEST_SUITE_P(, GeneratorHeadTest, testing::Values("glm4moe", "qwen35"),
                         architecture_name);
INSTANTIATE_TEST_SUITE_P(, GeneratorHeadStoreTest, testing::Values("glm4moe"), architecture_name);

}  // namespace
}  // namespace confab::engine
