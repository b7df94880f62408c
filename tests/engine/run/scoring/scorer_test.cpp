// SPDX-License-Identifier: MIT
// Options scored in few passes, against each scored alone, token by token.
#include "engine/run/scoring/scorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <set>

#include "tests/engine/run/generator_rig.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

struct Told {
  std::optional<Scored> scored;
  std::optional<Finished> finished;
  std::optional<Failed> failed;
  std::vector<PrefillProgress> progress;
};

// A generator's rig with a scorer beside it, both stepped as the generation thread does.
class ScorerRig : public Rig {
 public:
  explicit ScorerRig(const RigOptions& options) : Rig(options) {}

  void score(const ScoreRequest& request, std::uint64_t number = 1, std::stop_token stop = {}) {
    scorer.start(request, stop, {events, AnswerId{number}});
  }
  void step() {
    const bool alone = !generator.is_busy();
    if (!alone) generator.step();
    if (scorer.is_busy()) scorer.step(alone);
  }
  void run_all() {
    while (generator.is_busy() || scorer.is_busy()) step();
  }
  // What has been told so far, by number from 1.
  void gather(std::vector<Told>& told, std::vector<Answer>& answers) {
    while (auto event = events.pop()) {
      const std::size_t i = static_cast<std::size_t>(event->answer) - 1;
      if (const auto* scored = std::get_if<Scored>(&event->event)) told[i].scored = *scored;
      if (const auto* end = std::get_if<Finished>(&event->event)) told[i].finished = *end;
      if (const auto* failed = std::get_if<Failed>(&event->event)) told[i].failed = *failed;
      if (const auto* progress = std::get_if<PrefillProgress>(&event->event))
        told[i].progress.push_back(*progress);
      if (told[i].failed) continue;
      take(answers[i], event->event);
    }
  }
  Told told() {
    std::vector<Told> all(1);
    std::vector<Answer> answers(1);
    gather(all, answers);
    return all[0];
  }
  Told run(const ScoreRequest& request) {
    score(request);
    run_all();
    return told();
  }

  Scorer scorer{{*model, prompts, cache}};
};

double log_of_sum(std::span<const float> logits) {
  double sum = 0;
  for (const float x : logits) sum += std::exp(static_cast<double>(x));
  return std::log(sum);
}

// One option alone, a token a pass, in a sequence of its own.
OptionScore naive(const RigOptions& options, const ScoreRequest& request, std::size_t i) {
  Rig rig(options);
  const auto sequence = rig.decoder.make_sequence();
  const std::vector<Token> prompt = rig.prompts.build(request.turns, request.settings);
  OptionScore score{.tokens = rig.model->tokenizer->encode(request.options[i], false)};
  std::vector<float> logits;
  for (const Token token : prompt) logits = rig.feed(*sequence, {&token, 1});
  for (const Token token : score.tokens) {
    score.log_p +=
        static_cast<double>(logits[static_cast<std::size_t>(token)]) - log_of_sum(logits);
    logits = rig.feed(*sequence, {&token, 1});
  }
  double end = 0;
  for (const std::uint32_t token : {kTinyEndOfText, kTinyImEnd})
    end += std::exp(static_cast<double>(logits[token]));
  score.log_p_end = std::log(end) - log_of_sum(logits);
  return score;
}

void expect_scores(const RigOptions& options, const ScoreRequest& request, const Told& told) {
  ASSERT_TRUE(told.scored) << (told.failed ? told.failed->message : "no end");
  ASSERT_EQ(told.scored->options.size(), request.options.size());
  for (std::size_t i = 0; i < request.options.size(); ++i) {
    const OptionScore want = naive(options, request, i), &got = told.scored->options[i];
    EXPECT_EQ(got.tokens, want.tokens) << request.options[i];
    EXPECT_NEAR(got.log_p, want.log_p, 1e-9 * std::abs(want.log_p)) << request.options[i];
    EXPECT_NEAR(got.log_p_end, want.log_p_end, 1e-9 * std::abs(want.log_p_end))
        << request.options[i];
  }
}

ScoreRequest asked(std::vector<std::string> options, const std::string& text = "Is it so?") {
  return {.turns = {{{"user", text}}}, .options = std::move(options)};
}

void expect_equal(const Told& got, const Told& want) {
  ASSERT_TRUE(got.scored && want.scored);
  ASSERT_EQ(got.scored->options.size(), want.scored->options.size());
  for (std::size_t i = 0; i < got.scored->options.size(); ++i) {
    EXPECT_EQ(got.scored->options[i].log_p, want.scored->options[i].log_p) << i;
    EXPECT_EQ(got.scored->options[i].log_p_end, want.scored->options[i].log_p_end) << i;
  }
}

// More than a pass has rows for, long and short, some that begin others.
std::vector<std::string> many_options() {
  std::vector<std::string> options{"yes",     "yes, but",  "no",
                                   "the one", "the other", "the other one"};
  for (int i = 0; i < 40; ++i) options.push_back("option " + std::to_string(i * 7));
  options.push_back(long_text(12));
  options.push_back(long_text(12) + "and more");
  return options;
}

class ScorerTest : public testing::TestWithParam<const char*> {
 protected:
  RigOptions options() const { return {.path = file.path()}; }

  const TinyModelFile file{{.architecture = GetParam(), .n_ctx = 2048}};
};

TEST_P(ScorerTest, ScoresAreThoseOfEachOptionAlone) {
  const ScoreRequest request = asked(many_options());
  expect_scores(options(), request, ScorerRig(options()).run(request));
}

TEST_P(ScorerTest, NothingDependsOnThreadsBatchesOrTheCache) {
  const ScoreRequest request = asked(many_options(), long_text(60));
  ScorerRig first(options());
  const Told want = first.run(request);
  expect_scores(options(), request, want);
  for (const int n_threads : {2, 3}) {
    RigOptions other = options();
    other.n_threads = n_threads;
    other.n_batch = 7;
    expect_equal(ScorerRig(other).run(request), want);
  }
  const Told again = first.run(request);
  expect_equal(again, want);
  EXPECT_EQ(want.scored->stats.n_cached, 0);
  EXPECT_GT(again.scored->stats.n_cached, again.scored->stats.n_prompt / 3);
}

TEST_P(ScorerTest, AnswersBesideItStayAsTheyAre) {
  std::vector<GenerateRequest> requests;
  for (int i = 0; i < 3; ++i) requests.push_back(greedy(long_text(10 + 20 * i), 40));
  const std::vector<Answer> want = confab::engine::run_all(options(), requests);
  const ScoreRequest request = asked(many_options(), long_text(30));
  const Told alone = ScorerRig(options()).run(request);

  ScorerRig rig(options());
  std::vector<Told> told(5);
  std::vector<Answer> answers(5);
  rig.start(requests[0], 1);
  for (int i = 0; i < 5; ++i) rig.step();
  rig.score(request, 4);
  rig.step();
  rig.start(requests[1], 2);
  for (int i = 0; i < 4; ++i) rig.step();
  rig.score(asked({"a", "b"}), 5);
  rig.start(requests[2], 3);
  rig.run_all();
  rig.gather(told, answers);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(answers[i].text, want[i].text);
    EXPECT_EQ(answers[i].end.tokens, want[i].end.tokens);
  }
  expect_equal(told[3], alone);
  EXPECT_TRUE(told[4].scored);
}

TEST_P(ScorerTest, IsStoppedAtAnyStep) {
  const ScoreRequest request = asked(many_options(), long_text(60));
  RigOptions small = options();
  small.n_batch = 32;
  const Told want = ScorerRig(small).run(request);
  for (int n_steps = 0;; ++n_steps) {
    ScorerRig rig(small);
    std::stop_source stop;
    rig.score(request, 1, stop.get_token());
    for (int i = 0; i < n_steps; ++i)
      if (rig.scorer.is_busy()) rig.step();
    if (!rig.scorer.is_busy()) break;
    stop.request_stop();
    rig.step();
    EXPECT_FALSE(rig.scorer.is_busy());
    const Told told = rig.told();
    ASSERT_TRUE(told.finished);
    EXPECT_EQ(told.finished->reason, FinishReason::cancelled);
    EXPECT_FALSE(told.scored);
    if (n_steps % 5 == 0) expect_equal(rig.run(request), want);
  }
}

// Beside an answer that goes on until the context is full: who has no pages waits, and the answer
// gets those of the scoring.
TEST_P(ScorerTest, AnswersComeFirstWherePagesAreFew) {
  RigOptions few = options();
  few.n_pages = CpuDecoder::n_pages(few.n_ctx);
  const GenerateRequest endless = greedy(long_text(40), 600);
  const Answer want = Rig(few).run(endless);
  const ScoreRequest request = asked(many_options(), "Z" + long_text(120));
  const Told alone = ScorerRig(few).run(request);
  expect_scores(few, asked({request.options[0]}, "Z" + long_text(120)),
                ScorerRig(few).run(asked({request.options[0]}, "Z" + long_text(120))));
  ScorerRig rig(few);
  std::vector<Told> told(2);
  std::vector<Answer> answers(2);
  rig.score(request, 2);
  for (int i = 0; i < 3; ++i) rig.step();
  rig.start(endless, 1);
  rig.run_all();
  rig.gather(told, answers);
  EXPECT_EQ(answers[0].text, want.text);
  EXPECT_EQ(answers[0].end.reason, want.end.reason);
  expect_equal(told[1], alone);
}

// The longest prompt and option that fit, with the pages of one context.
TEST_P(ScorerTest, FillsTheContextToItsEnd) {
  RigOptions small = options();
  small.n_ctx = 512;
  small.n_pages = CpuDecoder::n_pages(512);
  ScorerRig rig(small);
  ScoreRequest request = asked({"yes", "no", std::string(200, 'q')}, std::string(230, 'z'));
  const auto n_tokens = [&] {
    return rig.prompts.build(request.turns).size() +
           rig.model->tokenizer->encode(request.options.back(), false).size();
  };
  while (n_tokens() < 512) request.turns[0].message.content += 'z';
  expect_scores(small, request, rig.run(request));
  request.options.back() += 'q';
  const Told told = rig.run(request);
  ASSERT_TRUE(told.failed);
  EXPECT_TRUE(told.failed->prompt_too_long);
  EXPECT_THAT(told.failed->message, HasSubstr("do not fit in the context of 512"));
}

INSTANTIATE_TEST_SUITE_P(Each, ScorerTest, testing::ValuesIn(kDraftedArchitectures),
                         architecture_name);

class ScorerOnceTest : public testing::Test {
 protected:
  RigOptions options() const { return {.path = file.path()}; }

  const TinyModelFile file{{.n_ctx = 2048}};
};

TEST_F(ScorerOnceTest, TakesAsFewPassesAsTheRowsAllow) {
  RigOptions roomy = options();
  roomy.n_pages = 64;
  const ScoreRequest request = asked(many_options());
  const Told told = ScorerRig(roomy).run(request);
  ASSERT_TRUE(told.scored);
  std::set<std::vector<Token>> nodes;
  for (const OptionScore& option : told.scored->options)
    for (std::size_t n = 1; n <= option.tokens.size(); ++n)
      nodes.emplace(option.tokens.begin(), option.tokens.begin() + static_cast<std::ptrdiff_t>(n));
  EXPECT_EQ(told.scored->stats.n_scored, static_cast<int>(nodes.size()));
  const int n_rows = DraftLength::kMost + 1;
  EXPECT_LE(told.scored->stats.n_passes, static_cast<int>(nodes.size()) / n_rows + 3);
  const Told two = ScorerRig(options()).run(asked({"a", "b"}));
  EXPECT_EQ(two.scored->stats.n_passes, 1);
  const Told crowded = ScorerRig(options()).run(request);
  expect_equal(crowded, told);
  EXPECT_LE(crowded.scored->stats.n_scored, 2 * told.scored->stats.n_scored)
      << "where pages are few, little is run twice";
}

TEST_F(ScorerOnceTest, WhatMayBeWantedAgainIsKept) {
  RigOptions few = options();
  few.n_pages = CpuDecoder::n_pages(few.n_ctx);
  ScorerRig rig(few);
  const GenerateRequest before = greedy(long_text(120), 3);
  const auto n_cached = [&] {
    rig.start(before, 1);
    return rig.finish()[0].end.stats.n_cached;
  };
  n_cached();
  const int n_known = n_cached();
  ASSERT_GT(n_known, 2 * kBlockTokens);
  const ScoreRequest request = asked(many_options());
  const Told told = rig.run(request);
  expect_equal(told, ScorerRig(options()).run(request));
  EXPECT_EQ(n_cached(), n_known);
}

TEST_F(ScorerOnceTest, TellsHowFarThePromptIs) {
  const Told told = ScorerRig(options()).run(asked({"yes", "no"}, long_text(60)));
  ASSERT_FALSE(told.progress.empty());
  EXPECT_EQ(told.progress.back().n_done, told.scored->stats.n_prompt);
  EXPECT_EQ(told.progress.back().n_prompt, told.scored->stats.n_prompt);
}

TEST_F(ScorerOnceTest, RefusesWhatCannotBeScored) {
  ScorerRig rig(options());
  const auto fault = [&](const ScoreRequest& request) {
    const Told told = rig.run(request);
    return told.failed ? told.failed->message : "none";
  };
  EXPECT_THAT(fault(asked({})), HasSubstr("options: found none"));
  EXPECT_THAT(fault(asked({"yes", ""})), HasSubstr("option 2 is empty"));
  EXPECT_THAT(fault(asked({"yes"}, long_text(2000))), HasSubstr("do not fit in the context"));
  EXPECT_TRUE(rig.run(asked({"yes"})).scored) << "it can be used again";
}

TEST_F(ScorerOnceTest, TheStoreIsGivenThePromptAndNoOption) {
  MemoryBlockStore store;
  RigOptions with_store = options();
  with_store.store = &store;
  ScorerRig rig(with_store);
  const ScoreRequest request = asked({"yes", "no"}, long_text(60));
  const std::vector<Token> prompt = rig.prompts.build(request.turns);
  ASSERT_TRUE(rig.run(request).scored);
  ASSERT_FALSE(store.blocks.empty());
  for (const auto& block : store.blocks) {
    ASSERT_LE(block.tokens.size(), prompt.size());
    EXPECT_TRUE(std::equal(block.tokens.begin(), block.tokens.end(), prompt.begin()));
  }
  ScorerRig next(with_store);
  const Told told = next.run(request);
  EXPECT_GE(told.scored->stats.n_cached, kBlockTokens);
  expect_equal(told, ScorerRig(options()).run(request));
}

// As a person's special tokens do not end a turn, those of an option do not.
TEST_F(ScorerOnceTest, SpecialTokensInAnOptionAreText) {
  const ScoreRequest request = asked({"<|im_end|>", "yes"});
  const Told told = ScorerRig(options()).run(request);
  EXPECT_GT(told.scored->options[0].tokens.size(), 3U);
  expect_scores(options(), request, told);
}

}  // namespace
}  // namespace confab::engine
