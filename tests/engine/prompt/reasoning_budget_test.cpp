// SPDX-License-Identifier: MIT
#include "engine/prompt/reasoning_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "engine/error.h"
#include "tests/engine/run/generator_rig.h"

namespace confab::engine {
namespace {

TEST(ReasoningBudgetTest, IsSpentAfterSoManyTokensAtABoundary) {
  ReasoningBudget budget(3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(budget.is_spent(true)) << i;
    budget.count();
  }
  EXPECT_TRUE(budget.is_spent(true));
  for (int i = 0; i < ReasoningBudget::kMaxGrace; ++i) {
    EXPECT_FALSE(budget.is_spent(false)) << i;
    budget.count();
  }
  EXPECT_TRUE(budget.is_spent(false));
}

TEST(ReasoningBudgetTest, ZeroIsSpentAtOnceAndNoLimitNever) {
  EXPECT_TRUE(ReasoningBudget(0).is_spent(true));
  ReasoningBudget budget(-1);
  for (int i = 0; i < 1000; ++i) budget.count();
  EXPECT_FALSE(budget.is_spent(true));
}

TEST(ReasoningBudgetTest, StopsClosingWhatIsOpenedAgainAndAgain) {
  ReasoningBudget budget(0);
  for (int i = 0; i < ReasoningBudget::kMaxClosings; ++i) {
    EXPECT_TRUE(budget.is_spent(true)) << i;
    budget.close();
  }
  EXPECT_FALSE(budget.is_spent(true));
}

// With a prompt that ends inside the reasoning, which the model of noise never closes itself.
class ReasoningBudgetInAnswersTest : public testing::Test {
 protected:
  RigOptions options() const {
    return {.path = file.path(), .chat_template = std::string(kTinyTemplate) + "{{ '<think>' }}"};
  }
  static GenerateRequest limited(int budget, int n_predict) {
    GenerateRequest request = greedy("hello", n_predict);
    request.reasoning_budget = budget;
    return request;
  }
  static std::vector<Token> end_of(const Rig& rig) {
    return {rig.prompts.reasoning_end().begin(), rig.prompts.reasoning_end().end()};
  }
  // How many tokens were thought: those before the markers; the answer must have them.
  static std::size_t n_thought(const Rig& rig, const std::vector<Token>& tokens) {
    const std::vector<Token> end = end_of(rig);
    return static_cast<std::size_t>(
        std::search(tokens.begin(), tokens.end(), end.begin(), end.end()) - tokens.begin());
  }
  const TinyModelFile file{{.n_ctx = 2048}};
};

TEST_F(ReasoningBudgetInAnswersTest, TheReasoningIsClosedAndTheAnswerFollows) {
  Rig rig(options());
  const Answer free = rig.run(greedy("hello", 60));
  EXPECT_TRUE(free.text.empty());
  const std::vector<Token> end = end_of(rig);
  EXPECT_EQ(rig.model->tokenizer->decode(end, true), "\n</think>\n\n");
  const Answer answer = rig.run(limited(20, 60));
  const std::size_t n = n_thought(rig, answer.end.tokens);
  EXPECT_GE(n, 20U);
  EXPECT_LE(n, 20U + ReasoningBudget::kMaxGrace);
  EXPECT_TRUE(std::equal(free.end.tokens.begin(), free.end.tokens.begin() + static_cast<long>(n),
                         answer.end.tokens.begin()));
  EXPECT_TRUE(free.reasoning.starts_with(answer.reasoning));
  EXPECT_TRUE(answer.at_budget);
  EXPECT_FALSE(answer.text.empty());
  EXPECT_GE(answer.end.answer_begin, static_cast<int>(n + end.size()));
  EXPECT_EQ(answer.end.stats.n_generated, 60) << "markers are not sampled";
  EXPECT_EQ(answer.end.tokens.size(), 60 + end.size());
  EXPECT_EQ(answer.told, answer.end.tokens);
  EXPECT_EQ(answer.end.n_ctx_used,
            answer.end.stats.n_prompt + static_cast<int>(answer.end.tokens.size()) - 1);
}

TEST_F(ReasoningBudgetInAnswersTest, ABudgetThatIsNotSpentChangesNothing) {
  Rig rig(options());
  const Answer free = rig.run(greedy("hello", 30));
  const Answer limited_one = rig.run(limited(500, 30));
  EXPECT_EQ(limited_one.end.tokens, free.end.tokens);
  EXPECT_FALSE(limited_one.at_budget);
  Rig plain({.path = file.path()});
  EXPECT_EQ(plain.run(limited(0, 30)).end.tokens, plain.run(greedy("hello", 30)).end.tokens);
}

// What the model has seen is what a prompt of the same tokens would have shown it, to the last bit
// of the cache and of the next logits.
TEST_F(ReasoningBudgetInAnswersTest, TheCacheIsThatOfAFreshPromptOfTheSameTokens) {
  for (const int n_batch : {1, 512}) {
    RigOptions o = options();
    o.n_batch = n_batch;
    Rig rig(o);
    const GenerateRequest request = limited(20, 40);
    const Answer answer = rig.run(request);
    std::vector<Token> all = rig.prompts.build(request.turns);
    all.insert(all.end(), answer.end.tokens.begin(), answer.end.tokens.end());
    const std::size_t n_before = all.size() - answer.end.tokens.size() +
                                 n_thought(rig, answer.end.tokens) +
                                 rig.prompts.reasoning_end().size();

    Rig fresh(options());
    const auto sequence = fresh.decoder.make_sequence();
    const auto logits = fresh.feed(*sequence, std::span(all).first(n_before));
    const auto best = std::ranges::max_element(logits) - logits.begin();
    EXPECT_EQ(best, all[n_before]) << "the first token of the answer";
    for (const Token token : std::span(all).subspan(n_before, all.size() - n_before - 1))
      fresh.feed(*sequence, {&token, 1});
    ASSERT_EQ(rig.n_tokens(), sequence->n_tokens());
    const std::size_t row_bytes = kernels::row_bytes(kernels::Dtype::Q8_0, 32);
    KvCache& want = static_cast<PagedSequence&>(*sequence).cache;
    for (int pos = 0; pos < rig.n_tokens(); ++pos) {
      for (int il = 0; il < 2; ++il) {
        ASSERT_EQ(std::memcmp(rig.kv().key_row(il, 0, pos), want.key_row(il, 0, pos), row_bytes),
                  0);
        ASSERT_EQ(
            std::memcmp(rig.kv().value_row(il, 0, pos), want.value_row(il, 0, pos), row_bytes), 0);
      }
    }
    const std::span<const Token> last(&all.back(), 1);
    const auto ours = rig.cache.last()->fork(rig.n_tokens());
    const auto got = rig.feed(*ours, last), theirs = fresh.feed(*sequence, last);
    EXPECT_TRUE(std::ranges::equal(got, theirs));
  }
}

// The tokens that are saved are those of the cache: nothing is computed again.
TEST_F(ReasoningBudgetInAnswersTest, AnAnswerThatIsGoneOnWithCountsWhatWasThought) {
  Rig rig(options());
  const Answer whole = rig.run(limited(20, 50));
  for (int cut = 1; cut < 50; cut += 3) {
    const Answer first = rig.run(limited(20, cut));
    GenerateRequest more = limited(20, 50 - cut);
    more.turns.push_back(
        {{"assistant", first.text, first.reasoning}, first.end.tokens, first.end.answer_begin});
    more.continues = true;
    const Answer rest = rig.run(more);
    EXPECT_EQ(rest.end.tokens, whole.end.tokens) << cut;
    EXPECT_EQ(rest.text, whole.text) << cut;
    EXPECT_EQ(rest.reasoning, whole.reasoning) << cut;
    EXPECT_EQ(rest.end.answer_begin, whole.end.answer_begin) << cut;
    EXPECT_EQ(rest.end.stats.n_prompt - rest.end.stats.n_cached, 1) << cut;
  }
}

TEST_F(ReasoningBudgetInAnswersTest, NoBudgetIsNoReasoning) {
  Rig rig(options());
  const Answer answer = rig.run(limited(0, 10));
  EXPECT_TRUE(answer.reasoning.empty());
  EXPECT_FALSE(answer.at_budget) << "there was nothing to end";
  EXPECT_EQ(n_thought(rig, answer.end.tokens), 0U);
  EXPECT_FALSE(answer.text.empty());
}

// A thought that the model has begun itself: the marker that opens it is not counted.
TEST_F(ReasoningBudgetInAnswersTest, ReasoningThatTheModelOpensIsClosedToo) {
  RigOptions o = options();
  o.chat_template = std::string(kTinyTemplate) + "{# <think> #}";
  Rig rig(o);
  const std::vector<Token> open = rig.model->tokenizer->encode("<think>", true);
  for (const int budget : {0, 3}) {
    GenerateRequest request = limited(budget, 20);
    request.turns.push_back({{"assistant", "", ""}, open});
    request.continues = true;
    const Answer answer = rig.run(request);
    EXPECT_GE(n_thought(rig, answer.end.tokens), open.size() + static_cast<std::size_t>(budget));
    EXPECT_LT(n_thought(rig, answer.end.tokens), answer.end.tokens.size());
    EXPECT_FALSE(answer.text.empty());
  }
}

// Noise has many bytes that begin a character and are followed by none: these become U+FFFD, but
// the marker never comes between the bytes of one.
TEST_F(ReasoningBudgetInAnswersTest, NoCharacterIsCutByTheMarkers) {
  Rig rig(options());
  const std::string accented = "caf\xC3\xA9";
  std::vector<Token> begun;  // a token a byte
  for (const char c : accented) begun.push_back(static_cast<unsigned char>(c));
  for (std::size_t cut = 1; cut <= begun.size(); ++cut) {
    GenerateRequest request = limited(static_cast<int>(cut), 30);
    request.turns.push_back({{"assistant", "", accented.substr(0, cut)},
                             {begun.begin(), begun.begin() + static_cast<long>(cut)}});
    request.continues = true;
    const Answer answer = rig.run(request);
    const std::size_t n = n_thought(rig, answer.end.tokens);
    if (cut == 4) {
      EXPECT_GT(n, cut) << "waits for the other half";
    } else {
      EXPECT_EQ(n, cut);
    }
    EXPECT_EQ(answer.reasoning.find('\xC3'), cut == 5 ? 3U : std::string::npos);
  }
}

TEST_F(ReasoningBudgetInAnswersTest, AMarkerThatTheModelHasBegunIsItsOwn) {
  Rig rig(options());
  GenerateRequest request = limited(2, 30);
  request.turns.push_back(
      {{"assistant", "", "ab</thi"}, rig.model->tokenizer->encode("ab</thi", false)});
  request.continues = true;
  const Answer answer = rig.run(request);
  EXPECT_GT(n_thought(rig, answer.end.tokens), request.turns.back().tokens.size());
  EXPECT_FALSE(answer.text.empty());
}

TEST_F(ReasoningBudgetInAnswersTest, StopStringsEndTheAnswerAfterIt) {
  Rig rig(options());
  const std::string whole = rig.run(limited(10, 80)).text;
  const auto is_letter = [](unsigned char c) { return c < 0x80 && std::isalpha(c); };
  const auto letter = std::find_if(whole.begin() + 2, whole.end(), is_letter);
  ASSERT_NE(letter, whole.end());
  GenerateRequest request = limited(10, 80);
  request.stop = {std::string(1, *letter), "</think>"};
  const Answer answer = rig.run(request);
  EXPECT_EQ(answer.end.reason, FinishReason::stop_string);
  EXPECT_EQ(answer.text, whole.substr(0, whole.find(*letter)));
}

TEST_F(ReasoningBudgetInAnswersTest, AContextWithoutRoomForTheMarkersIsFull) {
  const int n_prompt =
      static_cast<int>(Rig(options()).prompts.build(greedy("hello", 1).turns).size());
  const int n_end = static_cast<int>(Rig(options()).prompts.reasoning_end().size());
  for (int room = 0; room <= n_end; ++room) {
    RigOptions o = options();
    o.n_ctx = n_prompt + 1 + room;
    Rig rig(o);
    const Answer answer = rig.run(limited(0, -1));
    EXPECT_EQ(answer.end.reason, FinishReason::context_full) << room;
    EXPECT_EQ(answer.end.tokens.empty(), 1 + room < n_end) << room;
    EXPECT_LE(rig.n_tokens(), o.n_ctx);
  }
}

TEST_F(ReasoningBudgetInAnswersTest, ABudgetBelowNoneIsAnError) {
  Rig rig(options());
  EXPECT_THROW(rig.run(limited(-2, 5)), ModelError);
}

}  // namespace
}  // namespace confab::engine
