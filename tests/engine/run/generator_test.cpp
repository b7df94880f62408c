// SPDX-License-Identifier: MIT
#include "engine/run/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <limits>

#include "engine/error.h"
#include "engine/model/model.h"
#include "engine/prompt/answer_text.h"
#include "kernels/isa.h"
#include "tests/engine/run/generator_rig.h"

namespace confab::engine {
namespace {

class GeneratorTest : public testing::Test {
 protected:
  const TinyModelFile file{{.n_ctx = 2048}};
};

TEST_F(GeneratorTest, CountsExactly) {
  Rig rig({.path = file.path()});
  const GenerateRequest request = greedy("hello", 5);
  const int n_prompt = static_cast<int>(rig.prompts.build(request.turns).size());
  const Answer first = rig.run(request);
  ASSERT_EQ(first.end.reason, FinishReason::length);
  EXPECT_EQ(first.end.tokens.size(), 5U);
  EXPECT_EQ(first.end.stats.n_prompt, n_prompt);
  EXPECT_EQ(first.end.stats.n_cached, 0);
  EXPECT_EQ(first.end.stats.n_generated, 5);
  EXPECT_EQ(first.end.n_ctx_used, n_prompt + 4);  // the last one's logits are not needed
  EXPECT_GT(first.end.stats.prefill.count(), 0);
  EXPECT_GT(first.end.stats.decode.count(), 0);
  EXPECT_GE(first.end.stats.ttft, first.end.stats.prefill);
  EXPECT_GT(first.end.stats.prefill_tps(), 0);
  EXPECT_GT(first.end.stats.decode_tps(), 0);
  EXPECT_EQ(first.text, text_of_answer(*rig.model->tokenizer, first.end.tokens));

  const Answer again = rig.run(request);
  EXPECT_EQ(again.end.stats.n_cached, n_prompt - 1);
  EXPECT_EQ(again.end.tokens, first.end.tokens);
  EXPECT_EQ(rig.run(greedy("hello", 1)).end.stats.decode_tps(), 0);
}

TEST_F(GeneratorTest, NoTokensAskedForOnlyFillsTheCache) {
  Rig rig({.path = file.path()});
  const Answer answer = rig.run(greedy("hello", 0));
  EXPECT_EQ(answer.end.reason, FinishReason::length);
  EXPECT_EQ(answer.end.stats.n_generated, 0);
  EXPECT_EQ(answer.end.stats.ttft.count(), 0);
  EXPECT_EQ(answer.end.n_ctx_used, answer.end.stats.n_prompt);
}

TEST_F(GeneratorTest, ProgressEndsAtTheWholePrompt) {
  Rig rig({.path = file.path(), .n_batch = 16});
  const Answer answer = rig.run(greedy(long_text(20), 1));
  ASSERT_FALSE(answer.progress.empty());
  EXPECT_EQ(answer.progress.back().n_done, answer.end.stats.n_prompt);
  EXPECT_EQ(answer.progress.back().n_prompt, answer.end.stats.n_prompt);
}

TEST_F(GeneratorTest, AStopInTheMiddleOfAChunkLeavesTheCacheAsItWas) {
  Rig rig({.path = file.path(), .n_batch = 512});
  const GenerateRequest request = greedy(long_text(100), 3);
  const std::string want = rig.run(request).text;
  std::stop_source stop;
  const AtPosition at(0, [&] { stop.request_stop(); });  // in the first layer
  Rig other({.path = file.path(), .n_batch = 512, .table = at.table()});
  const Answer stopped = other.run(request, stop.get_token());
  EXPECT_EQ(stopped.end.reason, FinishReason::cancelled);
  EXPECT_EQ(stopped.end.n_ctx_used, 0);
  EXPECT_EQ(other.run(request).text, want);
}

TEST_F(GeneratorTest, AStopInTheMiddleOfATokenDoesNotWaitForTheRest) {
  const GenerateRequest request = greedy("hello", 10);
  Rig plain({.path = file.path()});
  const Answer whole = plain.run(request);
  const int n_prompt = whole.end.stats.n_prompt;
  std::stop_source stop;
  const AtPosition at(n_prompt + 3, [&] { stop.request_stop(); });
  Rig rig({.path = file.path(), .table = at.table()});
  const Answer answer = rig.run(request, stop.get_token());
  EXPECT_EQ(answer.end.reason, FinishReason::cancelled);
  EXPECT_EQ(answer.end.tokens.size(), 4U);
  EXPECT_EQ(answer.end.n_ctx_used, n_prompt + 3) << "the last token was sampled, but not computed";
  EXPECT_EQ(rig.run(request).end.tokens, whole.end.tokens);
}

TEST_F(GeneratorTest, EndsAtAnEndOfGenerationTokenWithoutIt) {
  Rig rig({.path = file.path()});
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Answer answer = rig.run(random("hello", seed));
    ASSERT_EQ(answer.end.reason, FinishReason::end_of_turn) << seed;
    EXPECT_EQ(answer.end.stats.n_generated, static_cast<int>(answer.end.tokens.size()) + 1);
    for (const Token token : answer.end.tokens) {
      EXPECT_FALSE(rig.model->tokenizer->is_eog(token));
    }
  }
}

TEST_F(GeneratorTest, EndsBeforeAStopString) {
  Rig rig({.path = file.path()});
  GenerateRequest request = greedy("hello", 60);
  const std::string whole = rig.run(request).text;
  const auto is_letter = [](unsigned char c) { return c < 0x80 && std::isalpha(c); };
  const auto letter = std::find_if(whole.begin() + 5, whole.end(), is_letter);
  ASSERT_NE(letter, whole.end());
  request.stop = {std::string(1, *letter)};
  const Answer answer = rig.run(request);
  EXPECT_EQ(answer.end.reason, FinishReason::stop_string);
  EXPECT_EQ(answer.text, whole.substr(0, whole.find(*letter)));
}

TEST_F(GeneratorTest, EndsWhenTheContextIsFull) {
  Rig rig({.path = file.path(), .n_ctx = 64});
  const Answer answer = rig.run(greedy("hello", -1));
  EXPECT_EQ(answer.end.reason, FinishReason::context_full);
  EXPECT_EQ(answer.end.n_ctx_used, 64);
  EXPECT_EQ(answer.end.stats.n_prompt + answer.end.stats.n_generated, 65);
}

TEST_F(GeneratorTest, APromptThatDoesNotFitIsRefusedAndCostsNothing) {
  Rig rig({.path = file.path(), .n_ctx = 64});
  rig.run(greedy("hello", 3));
  const int n_before = rig.n_tokens();
  const GenerateRequest request = greedy(long_text(50), 5);
  const std::size_t n_prompt = rig.prompts.build(request.turns).size();
  try {
    rig.run(request);
    FAIL() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(n_prompt) + " tokens"));
    EXPECT_THAT(error.what(), testing::HasSubstr("64"));
  }
  EXPECT_EQ(rig.n_tokens(), n_before);
}

TEST_F(GeneratorTest, BadRequestsAreErrors) {
  Rig rig({.path = file.path()});
  EXPECT_THROW(rig.run(greedy("hello", -2)), ModelError);
  GenerateRequest request = greedy("hello", 1);
  request.sampling.top_p = 2;
  EXPECT_THROW(rig.run(request), ModelError);
  EXPECT_EQ(rig.run(greedy("hello", 1)).end.stats.n_generated, 1);
}

TEST_F(GeneratorTest, ACancelledRequestComputesNothing) {
  Rig rig({.path = file.path()});
  std::stop_source stop;
  stop.request_stop();
  const Answer answer = rig.run(greedy("hello", 5), stop.get_token());
  EXPECT_EQ(answer.end.reason, FinishReason::cancelled);
  EXPECT_EQ(answer.end.stats.n_generated, 0);
  EXPECT_EQ(answer.end.stats.prefill_tps(), 0);
  EXPECT_EQ(rig.n_tokens(), 0);
}

TEST_F(GeneratorTest, TheSameSeedGivesTheSameText) {
  Rig one({.path = file.path()}), two({.path = file.path()});
  GenerateRequest request = greedy("hello", 40);
  request.sampling = {.seed = 5};
  const Answer answer = one.run(request);
  EXPECT_EQ(answer.end.tokens, two.run(request).end.tokens);
  EXPECT_EQ(answer.end.tokens, one.run(request).end.tokens);  // from the cache
  request.sampling.seed = 6;
  EXPECT_NE(answer.end.tokens, one.run(request).end.tokens);
}

TEST_F(GeneratorTest, EndsThatAreIgnoredDoNotEndAnAnswer) {
  GenerateRequest request = random("hello", 3);
  request.n_predict = 900;
  ASSERT_EQ(Rig({.path = file.path()}).run(request).end.reason, FinishReason::end_of_turn);
  request.sampling.ignore_eos = true;
  const Answer answer = Rig({.path = file.path()}).run(request);
  EXPECT_EQ(answer.end.reason, FinishReason::length);
  EXPECT_EQ(answer.end.stats.n_generated, 900);
}

TEST_F(GeneratorTest, ABiasOfATokenThatTheModelDoesNotHaveIsTold) {
  GenerateRequest request = greedy("hello", 5);
  request.sampling.logit_bias = {{.text = "no token is this", .bias = 1}};
  try {
    Rig({.path = file.path()}).run(request);
    FAIL() << "it was taken";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("\"no token is this\" is not the text of a"));
  }
}

TEST_F(GeneratorTest, ResultsDependNeitherOnThreadsNorOnBatches) {
  const GenerateRequest request = greedy(long_text(30), 30);
  const std::vector<Token> want = Rig({.path = file.path()}).run(request).end.tokens;
  EXPECT_EQ(Rig({.path = file.path(), .n_threads = 3}).run(request).end.tokens, want);
  EXPECT_EQ(Rig({.path = file.path(), .n_batch = 1}).run(request).end.tokens, want);
  EXPECT_EQ(Rig({.path = file.path(), .n_threads = 2, .n_batch = 17}).run(request).end.tokens,
            want);
}

TEST_F(GeneratorTest, ASecondTurnComputesOnlyWhatIsNew) {
  Rig rig({.path = file.path()});
  const GenerateRequest request = greedy("hello", 20);
  const Answer first = rig.run(request);
  const Answer second = rig.run(next_turn(request, first, "go on"));
  EXPECT_EQ(second.end.stats.n_cached, first.end.n_ctx_used);
  EXPECT_EQ(first.end.n_ctx_used, first.end.stats.n_prompt + 19);
}

TEST_F(GeneratorTest, ResumingFromAStoreIsExactlyAColdStart) {
  MemoryBlockStore store;
  const GenerateRequest request = greedy(long_text(60), 40);
  const Answer first = Rig({.path = file.path(), .store = &store}).run(request);
  ASSERT_GT(first.end.n_ctx_used, kBlockTokens + PrefixCache::kMinTokens);
  const GenerateRequest next = next_turn(request, first, "go on");

  Rig warm({.path = file.path(), .store = &store}), cold({.path = file.path()});
  const Answer resumed = warm.run(next), computed = cold.run(next);
  EXPECT_EQ(resumed.end.stats.n_cached, first.end.n_ctx_used);
  EXPECT_EQ(computed.end.stats.n_cached, 0);
  EXPECT_EQ(resumed.end.tokens, computed.end.tokens);
  ASSERT_EQ(warm.n_tokens(), cold.n_tokens());
  const std::size_t row_bytes = kernels::row_bytes(kernels::Dtype::Q8_0, 32);
  for (int pos = 0; pos < warm.n_tokens(); ++pos) {
    for (int il = 0; il < 2; ++il) {
      ASSERT_EQ(
          std::memcmp(warm.kv().key_row(il, 0, pos), cold.kv().key_row(il, 0, pos), row_bytes), 0)
          << pos;
      ASSERT_EQ(
          std::memcmp(warm.kv().value_row(il, 0, pos), cold.kv().value_row(il, 0, pos), row_bytes),
          0)
          << pos;
    }
  }
}

// A block that verifies, but holds what no computation gives: it goes, and its tokens are computed.
TEST_F(GeneratorTest, StoredRowsThatAreNoNumbersAreDiscarded) {
  MemoryBlockStore store;
  const GenerateRequest request = greedy(long_text(60), 10);
  const Answer first = Rig({.path = file.path(), .store = &store}).run(request);
  for (MemoryBlockStore::Block& block : store.blocks) {
    std::ranges::fill(block.payload, std::byte{0xff});
    if (block.file) block.file = std::make_shared<const NamelessFile>(block.payload);
  }
  const std::size_t n_bad = store.blocks.size();
  Rig warm({.path = file.path(), .store = &store});
  const Answer second = warm.run(request);
  EXPECT_EQ(second.end.tokens, first.end.tokens);
  EXPECT_EQ(second.end.stats.n_cached, 0);
  EXPECT_EQ(store.blocks.size(), n_bad);  // those of the second run
  EXPECT_GT(Rig({.path = file.path(), .store = &store}).run(request).end.stats.n_cached, 256);
}

// Gives back no block but, when it is asked for the n-th time, one that cannot be mapped.
class HoleStore : public MemoryBlockStore {
 public:
  explicit HoleStore(int n) : n_left_(n) { gives_back = false; }
  std::vector<WrittenBlock> take_written() override {
    ++n_asked;
    std::vector<WrittenBlock> given;
    if (--n_left_ == 0)
      given.push_back({first_, std::make_unique<HoleBlock>(blocks.at(0).payload)});
    return given;
  }
  void keep_block(std::string_view fingerprint, std::span<const Token> tokens,
                  const BlockPayload& payload) override {
    if (first_ == nullptr) first_ = payload.owner;
    MemoryBlockStore::keep_block(fingerprint, tokens, payload);
  }
  int n_asked = 0;

 private:
  int n_left_;
  std::shared_ptr<const void> first_;
};

// Wherever the system has no memory, an answer has one end, and the next one is an error.
TEST_F(GeneratorTest, ABlockThatGetsNoMemoryIsOneEnd) {
  const GenerateRequest request = greedy(long_text(60), 4);
  HoleStore whole(0);
  const Answer want = Rig({.path = file.path(), .store = &whole}).run(request);
  ASSERT_GE(whole.n_asked, 3);
  ASSERT_GT(want.end.n_ctx_used, kBlockTokens);
  for (int n = 2; n <= whole.n_asked; ++n) {
    HoleStore store(n);
    Rig rig({.path = file.path(), .store = &store});
    rig.start(request);
    while (rig.generator.is_busy()) rig.generator.step();
    bool failed = false, finished = false;
    while (const auto event = rig.events.pop()) {
      finished = finished || std::holds_alternative<Finished>(event->event);
      failed = failed || std::holds_alternative<Failed>(event->event);
    }
    EXPECT_NE(failed, finished) << n;
    EXPECT_EQ(finished, n == whole.n_asked) << n << ": the last one follows the end";
    EXPECT_THROW(rig.run(request), ModelError) << n;
  }
}

TEST(GeneratorBrokenModelTest, LogitsThatAreNoNumbersAreAnErrorAndLeaveNothingBehind) {
  const TemporaryFolder folder;
  std::string bytes = tiny_model({.tied = true}).bytes();  // ends with output_norm [n_embd]
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 1; i <= 64; ++i) {
    std::memcpy(bytes.data() + bytes.size() - i * sizeof nan, &nan, sizeof nan);
  }
  std::ofstream(folder / "nan.gguf", std::ios::binary) << bytes;
  MemoryBlockStore store;
  Rig rig({.path = folder / "nan.gguf", .n_ctx = 512, .store = &store});
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(rig.run(greedy(long_text(20), 5)), ModelError);
    EXPECT_EQ(rig.n_tokens(), 0);
    EXPECT_TRUE(store.blocks.empty());
  }
}

}  // namespace
}  // namespace confab::engine
