// SPDX-License-Identifier: MIT
// Answers that are gone on with, and prompts that are read ahead.
#include <gtest/gtest.h>

#include <algorithm>
#include <stop_token>

#include "engine/model/model.h"
#include "engine/prompt/prompt.h"
#include "engine/run/generator.h"
#include "tests/engine/run/generator_rig.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

class GeneratorAheadTest : public testing::Test {
 protected:
  const TinyModelFile file{{.n_ctx = 2048}};
};

// At every point, also inside a character.
TEST_F(GeneratorAheadTest, AContinuedAnswerIsTheOneThatWasNotCutOff) {
  Rig rig({.path = file.path()});
  GenerateRequest request = greedy("hello", 40);
  const Answer whole = rig.run(request);
  ASSERT_EQ(whole.end.tokens.size(), 40U);
  EXPECT_EQ(whole.told, whole.end.tokens);
  for (int cut = 1; cut < 40; cut += 3) {
    request.n_predict = cut;
    const Answer first = rig.run(request);
    GenerateRequest more = greedy("hello", 40 - cut);
    more.turns.push_back({{"assistant", first.text}, first.end.tokens, first.end.answer_begin});
    more.continues = true;
    const Answer rest = rig.run(more);
    EXPECT_EQ(rest.end.tokens, whole.end.tokens) << cut;
    EXPECT_EQ(rest.text, whole.text) << cut;
    EXPECT_EQ(rest.told, whole.told) << cut;
    EXPECT_EQ(rest.end.stats.n_generated, 40 - cut);
    EXPECT_EQ(rest.end.stats.n_prompt - rest.end.stats.n_cached, 1) << cut;
  }
}

TEST_F(GeneratorAheadTest, AnAnswerWhoseTokensAreNotKnownGoesOnFromItsText) {
  Rig rig({.path = file.path()});
  GenerateRequest request = greedy("hello", 5);
  for (const std::vector<Token>& tokens : {std::vector<Token>{}, {1'000'000}, {-1}}) {
    request.turns = {{{"user", "hello"}}, {{"assistant", "so far <|im_end|>"}, tokens}};
    request.continues = true;
    const Answer rest = rig.run(request);
    EXPECT_EQ(rest.text.substr(0, 17), "so far <|im_end|>");
    EXPECT_EQ(rest.end.stats.n_generated, 5);
  }
}

TEST_F(GeneratorAheadTest, WhatWasPreparedIsNotComputedAgain) {
  MemoryBlockStore store;
  Rig rig({.path = file.path(), .store = &store});
  const GenerateRequest request = greedy(long_text(30), 5);
  const Answer first = rig.run(request);
  GenerateRequest next = next_turn(request, first, "and then " + long_text(40));
  const std::size_t n_prompt = rig.prompts.build(next.turns).size();

  PrepareRequest ahead{.turns = {next.turns.begin(), next.turns.end() - 1}};
  rig.generator.prepare(ahead, {});
  const int n_settled = rig.n_tokens();
  EXPECT_GT(n_settled, first.end.n_ctx_used);  // the markers around the next question
  const std::size_t n_stored = store.blocks.size();
  ahead.draft = "and then " + long_text(20);
  rig.generator.prepare(ahead, {});
  EXPECT_GT(rig.n_tokens(), n_settled + 40);
  EXPECT_EQ(store.blocks.size(), n_stored) << "a draft is nobody's business";
  ahead.draft = "and " + long_text(15);  // edited: rolled back
  rig.generator.prepare(ahead, {});
  ahead.draft = "and then " + long_text(38);
  rig.generator.prepare(ahead, {});

  const Answer second = rig.run(next);
  EXPECT_LT(n_prompt - static_cast<std::size_t>(second.end.stats.n_cached), 40U);
  EXPECT_EQ(second.end.tokens, Rig({.path = file.path()}).run(next).end.tokens);
}

// As with templates that drop the reasoning of earlier answers: the prompt goes on otherwise than
// the model did. What it will be is computed ahead, and kept for the next program as well.
TEST_F(GeneratorAheadTest, AnAnswerThatIsRepeatedOtherwiseIsReadAhead) {
  MemoryBlockStore store;
  GenerateRequest request = greedy(long_text(60), 50);
  {
    Rig rig({.path = file.path(), .store = &store});
    rig.run(request);
    request.turns.push_back({{"assistant", "what is left of the answer, " + long_text(12)}});
    rig.generator.prepare({.turns = request.turns}, {});
    request.turns.push_back({{"user", "next"}});
    const Answer second = rig.run(request);
    EXPECT_LT(second.end.stats.n_prompt - second.end.stats.n_cached, 20);
    EXPECT_EQ(second.end.tokens, Rig({.path = file.path()}).run(request).end.tokens);
  }
  Rig later({.path = file.path(), .store = &store});
  const Answer third = later.run(request);
  EXPECT_LT(third.end.stats.n_prompt - third.end.stats.n_cached, 32);
}

// Reading ahead takes the pages of what nobody uses, as an answer does.
TEST_F(GeneratorAheadTest, APreparationFindsRoom) {
  Rig rig({.path = file.path(), .n_pages = 4});
  rig.run(greedy("a " + long_text(60), 5));
  rig.generator.prepare({.turns = {{{"user", "b " + long_text(60)}}}}, {});
  EXPECT_GT(rig.n_tokens(), 400);
}

TEST_F(GeneratorAheadTest, APreparationEndsWhenItIsStopped) {
  Rig rig({.path = file.path()});
  std::stop_source stop;
  stop.request_stop();
  rig.generator.prepare({.turns = {{{"user", long_text(60)}}}}, stop.get_token());
  EXPECT_EQ(rig.n_tokens(), 0);
  rig.generator.prepare({.turns = {{{"user", long_text(3000)}}}}, {});  // more than the context
  EXPECT_EQ(rig.n_tokens(), 0);
}

TEST(LikelyPromptTest, IsWhatEveryQuestionWillBeginWith) {
  const TinyModelFile file;
  const auto model = Model::load(file.path());
  const PromptBuilder prompts(*model->tokenizer, kTinyTemplate);
  const std::vector<Turn> said{{{"user", "hello"}}, {{"assistant", "yes"}}};
  const std::vector<Token> likely = likely_prompt(prompts, {.turns = said}, {});
  EXPECT_FALSE(likely.empty());
  for (const std::string question : {"more", "What", "7", " "}) {
    std::vector<Turn> turns = said;
    turns.push_back({{"user", question}});
    const std::vector<Token> prompt = prompts.build(turns);
    ASSERT_GT(prompt.size(), likely.size());
    EXPECT_TRUE(std::equal(likely.begin(), likely.end(), prompt.begin())) << question;
  }
  const PrepareRequest draft{.turns = said, .draft = "tell me "};
  EXPECT_GT(likely_prompt(prompts, draft, {}).size(), likely.size());
}

}  // namespace
}  // namespace confab::engine
