// SPDX-License-Identifier: MIT
// Answers with a draft model are the answers without, to the token, and so what is sampled has the
// probabilities that the sampler gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/engine/run/generator_rig.h"
#include "tests/engine/run/sampling/definitions.h"

namespace confab::engine {
namespace {

// One that guesses as the model does, one that knows nothing, and one that soon has no room left.
class GeneratorDraftTest : public testing::TestWithParam<const char*> {
 protected:
  std::vector<Answer> answers(RigOptions options, const std::vector<GenerateRequest>& requests) {
    options.path = file.path();
    return run_all(options, requests);
  }
  // Returns what drafts there were, of all draft models.
  DraftCount expect_same_answers(const std::vector<GenerateRequest>& requests, int n_ctx = 1024) {
    const auto without = answers({.n_ctx = n_ctx, .lookup = false}, requests);
    DraftCount count;
    for (const TinyModelFile* draft : {&file, &noise, &narrow}) {
      for (const bool lookup : {false, true}) {
        const auto with =
            answers({.n_ctx = n_ctx, .lookup = lookup, .draft = draft->path()}, requests);
        for (std::size_t i = 0; i < requests.size(); ++i) {
          SCOPED_TRACE(i);
          expect_same(with[i], without[i]);
          const GenerateStats& stats = with[i].end.stats;
          EXPECT_EQ(stats.n_drafted, stats.by_lookup.n_drafted + stats.by_model.n_drafted);
          EXPECT_EQ(stats.n_accepted, stats.by_lookup.n_accepted + stats.by_model.n_accepted);
          count.n_drafted += stats.by_model.n_drafted;
          count.n_accepted += stats.by_model.n_accepted;
        }
      }
    }
    return count;
  }

  const TinyModelFile file{circling_model(GetParam())};
  const TinyModelFile noise{{.seed = 99, .n_layer = 1, .n_ctx = 2048}};
  const TinyModelFile narrow{{.architecture = GetParam(), .n_ctx = 64}};
};

TEST_P(GeneratorDraftTest, GreedyAnswersAreTheSame) {
  std::vector<GenerateRequest> requests;
  for (const char* text : {"hello", "again and again and again", "1 2 3 1 2 3 1 2"})
    requests.push_back(greedy(text, 150));
  const DraftCount count = expect_same_answers(requests);
  EXPECT_GT(count.n_accepted, 0);
  EXPECT_GT(count.n_drafted, count.n_accepted);
}

TEST_P(GeneratorDraftTest, SampledAnswersAreTheSame) {
  std::vector<GenerateRequest> requests;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    GenerateRequest request = greedy("on and on and on", 100);
    request.sampling = {.temperature = 0.1F + 0.2F * static_cast<float>(seed % 4),
                        .top_k = seed % 3 == 0 ? 5 : 40,
                        .top_p = seed % 2 == 0 ? 1 : 0.9F,
                        .repeat_penalty = seed % 4 == 3 ? 1.1F : 1,
                        .frequency_penalty = seed % 5 == 4 ? 0.2F : 0,
                        .seed = seed,
                        .xtc_probability = seed % 3 == 1 ? 0.3F : 0,
                        .mirostat = static_cast<int>(seed % 3),
                        .mirostat_tau = 2,
                        .dry_multiplier = seed % 2 == 0 ? 0.4F : 0};
    requests.push_back(request);
  }
  EXPECT_GT(expect_same_answers(requests).n_accepted, 0);
}

TEST_P(GeneratorDraftTest, EveryLengthAndEveryContextEndsAlike) {
  std::vector<GenerateRequest> requests;
  for (int n = 0; n < 20; ++n) requests.push_back(greedy("again and again", n));
  expect_same_answers(requests);
  for (int n_ctx = 64; n_ctx < 72; ++n_ctx) {
    SCOPED_TRACE(n_ctx);
    expect_same_answers({greedy("again and again", -1)}, n_ctx);
  }
}

TEST_P(GeneratorDraftTest, StopStringsEndInTheMiddleOfADraft) {
  const Answer whole = answers({.lookup = false}, {greedy("again and again", 120)})[0];
  for (std::size_t at = 10; at + 3 < whole.text.size() && at < 60; at += 13) {
    GenerateRequest request = greedy("again and again", 120);
    request.stop = {whole.text.substr(at, 3)};
    expect_same_answers({request, greedy("again and again", 30)});
  }
}

// Every answer of so many tokens, with its probability.
class Tree {
 public:
  using Answers = std::map<std::vector<Token>, double>;
  Tree(Rig& rig, const GenerateRequest& request)
      : rig_(rig),
        request_(request),
        cache_(rig.model->hparams, 256, kernels::Dtype::Q8_0, kernels::Dtype::Q8_0),
        forward_(*rig.model, kernels::choose_kernel_table(""), rig.pool, 256, {}),
        context_(rig.prompts.build(request.turns, {}, {})),
        n_prompt_(context_.size()) {}

  Answers answers() {
    grow(1);
    return std::move(answers_);
  }

 private:
  void grow(double chance) {
    const std::vector<Token> answer(context_.begin() + static_cast<std::ptrdiff_t>(n_prompt_),
                                    context_.end());
    if (static_cast<int>(answer.size()) == request_.n_predict) {
      answers_[answer] += chance;
      return;
    }
    cache_.truncate(0);
    const auto logits = forward_.run(cache_, context_, LogitsOf::last_token);
    for (const auto& [token, p] : definition::distribution(request_.sampling, logits, context_)) {
      if (rig_.model->tokenizer->is_eog(token)) {
        answers_[answer] += chance * p;
        continue;
      }
      context_.push_back(token);
      grow(chance * p);
      context_.pop_back();
    }
  }

  Rig& rig_;
  const GenerateRequest& request_;
  KvCache cache_;
  Forward forward_;
  std::vector<Token> context_;
  std::size_t n_prompt_;
  Answers answers_;
};

void expect_distribution(const std::map<std::vector<Token>, int>& found,
                         const Tree::Answers& expected, int n) {
  double sum = 0, rare = 0;
  int n_kinds = 0, n_known = 0, n_rare = 0;
  for (const auto& [answer, chance] : expected) {
    const auto at = found.find(answer);
    const int n_found = at == found.end() ? 0 : at->second;
    n_known += n_found;
    if (n * chance < 5) {
      rare += n * chance;
      n_rare += n_found;
      continue;
    }
    ++n_kinds;
    sum += std::pow(n_found - n * chance, 2) / (n * chance);
  }
  if (rare > 0) sum += std::pow(n_rare - rare, 2) / rare;
  EXPECT_EQ(n_known, n) << "answers that cannot be";
  EXPECT_GT(n_kinds, 3);
  EXPECT_LT(sum, definition::chi_square_limit(n_kinds));
}

TEST(GeneratorDistributionTest, WhatIsSampledHasTheSamplersDistribution) {
  const TinyModelFile file{{.n_ctx = 2048}};
  const TinyModelFile noise{{.seed = 99, .n_layer = 1, .n_ctx = 2048}};
  constexpr int kAnswers = 1000;
  const std::vector<SamplerParams> settings{
      {.temperature = 1, .top_k = 3, .top_p = 1, .min_p = 0},
      {.temperature = 0.5F, .top_k = 4, .top_p = 1, .min_p = 0},
      {.temperature = 1.5F, .top_k = 4, .top_p = 0.9F, .min_p = 0},
      {.temperature = 1, .top_k = 4, .top_p = 1, .min_p = 0.3F},
      {.temperature = 1, .top_k = 3, .top_p = 1, .min_p = 0, .repeat_penalty = 1.5F},
      {.temperature = 1,
       .top_k = 3,
       .top_p = 1,
       .min_p = 0,
       .frequency_penalty = 0.4F,
       .presence_penalty = 0.3F,
       .repeat_last_n = 8},
      {.temperature = 1, .top_k = 4, .top_p = 1, .min_p = 0, .typical_p = 0.7F},
      {.temperature = 1, .top_k = 4, .top_p = 1, .min_p = 0, .xtc_probability = 0.5F},
      {.temperature = 1,
       .top_k = 4,
       .top_p = 1,
       .min_p = 0,
       .top_n_sigma = 2,
       .dynatemp_range = 0.5F},
      {.temperature = 1,
       .top_k = 3,
       .top_p = 1,
       .min_p = 0,
       .dry_multiplier = 0.8F,
       .dry_allowed_length = 1,
       .dry_sequence_breakers = {}}};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    SCOPED_TRACE(i);
    Rig rig({.path = file.path(), .draft = i % 2 == 0 ? file.path() : noise.path()});
    GenerateRequest request = greedy("again and again and again", 3);
    request.sampling = settings[i];
    std::map<std::vector<Token>, int> found;
    DraftCount count;
    for (int seed = 0; seed < kAnswers; ++seed) {
      request.sampling.seed = static_cast<std::uint64_t>(seed);
      const Answer answer = rig.run(request);
      ++found[answer.end.tokens];
      count.n_drafted += answer.end.stats.n_drafted;
      count.n_accepted += answer.end.stats.n_accepted;
    }
    EXPECT_GT(count.n_drafted, count.n_accepted);
    EXPECT_GE(count.n_accepted, i % 2 == 0 ? 1 : 0) << "of noise none need be right";
    expect_distribution(found, Tree(rig, request).answers(), kAnswers);
  }
}

INSTANTIATE_TEST_SUITE_P(, GeneratorDraftTest, testing::ValuesIn(kDraftedArchitectures),
                         architecture_name);

// What the draft model has read is in the store, for the same conversation, and found again.
TEST(GeneratorDraftStoreTest, WhatTheDraftModelHasReadIsKept) {
  const TinyModelFile file{{.n_ctx = 2048}}, noise{{.seed = 99, .n_layer = 1, .n_ctx = 2048}};
  MemoryBlockStore store;
  const RigOptions options{
      .path = file.path(), .store = &store, .lookup = false, .draft = noise.path()};
  GenerateRequest request = greedy(long_text(80), 40);
  request.origin = 7;
  Rig(options).run(request);
  const auto is_of_draft = [](const MemoryBlockStore::Block& block) {
    return block.fingerprint == "draft";
  };
  const auto n_kept = std::ranges::count_if(store.blocks, is_of_draft);
  EXPECT_EQ(n_kept, std::ssize(store.blocks) - n_kept) << "as much as of the model";
  EXPECT_EQ(store.origin, 7);
  store.uses.clear();
  request.n_predict = 4;  // there is no time to read it
  Rig(options).run(request);
  ASSERT_EQ(store.uses.size(), 2U);
  for (const BlockUse& use : store.uses) EXPECT_GE(use.n_found, 2 * kBlockTokens);
}

}  // namespace
}  // namespace confab::engine
