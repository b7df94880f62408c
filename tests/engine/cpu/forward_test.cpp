// SPDX-License-Identifier: MIT
// The forward pass of tiny models against a plain one in float64, on every instruction set.
#include "engine/cpu/forward.h"

#include <gmock/gmock.h>

#include <cstring>

#include "engine/error.h"
#include "tests/engine/allocations.h"
#include "tests/engine/cache/memory_block_store.h"
#include "tests/engine/cpu/reference_forward.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using kernels::KernelTable;

struct Variant {
  std::string name;
  TinyModelOptions model;
};

std::vector<Variant> variants() {
  std::vector<float> factors;
  for (int i = 0; i < 16; ++i) factors.push_back(1 + 0.25F * static_cast<float>(i));
  return {
      {"llama", {}},
      {"tied", {.tied = true}},
      {"biases", {.biases = true}},
      {"all_heads_have_keys", {.n_head_kv = 2}},
      {"four_heads_share", {.n_head = 4, .n_head_kv = 1}},
      {"twenty_heads_share", {.n_embd = 80, .n_head = 20, .n_head_kv = 1}},
      {"odd_sizes", {.n_embd = 60, .n_head = 6, .n_head_kv = 3, .n_ff = 77}},
      {"rope_factors", {.rope_factors = factors}},
      {"linear", {.rope_scaling = "linear"}},
      {"yarn", {.rope_scaling = "yarn"}},
      {"yarn_and_factors", {.rope_factors = factors, .rope_scaling = "yarn"}},
      {"qwen2", {.architecture = "qwen2"}},
      {"qwen2_yarn", {.architecture = "qwen2", .rope_scaling = "yarn"}},
  };
}

class ForwardTest : public testing::TestWithParam<const KernelTable*> {
 protected:
  RunOptions options() const { return {.table = GetParam(), .n_batch = 64}; }
};

TEST_P(ForwardTest, AgreesWithFloat64) {
  const std::vector<Token> tokens = some_tokens(48, 7);
  for (const Variant& variant : variants()) {
    const TinyModelFile file(variant.model);
    const Model model = load_bare_model(file.path());
    const std::vector<double> want = ReferenceForward(model.gguf).run(tokens);
    const std::vector<float> got = run_model(model, tokens, options(), {48});
    const Difference d = difference(std::span<const float>(got), std::span<const double>(want));
    EXPECT_LE(d.nmse, 1e-10) << variant.name;
    EXPECT_LE(d.max_abs, 5e-4) << variant.name;
  }
}

TEST_P(ForwardTest, RowsDependNeitherOnTheSplitNorOnTheThreads) {
  const std::vector<Token> tokens = some_tokens(64, 7);
  for (const char* architecture : {"llama", "qwen2"}) {
    for (const bool quantised : {false, true}) {
      const TinyModelFile file({.architecture = architecture, .quantised = quantised});
      const Model model = load_bare_model(file.path());
      for (const Dtype kv : {Dtype::F32, Dtype::F16, Dtype::Q8_0}) {
        RunOptions o = options();
        o.exact = false;
        o.kv = kv;
        const std::vector<float> whole = run_model(model, tokens, o, {64});
        for (const int n_threads : {1, 2, 5}) {
          o.n_threads = n_threads;
          for (const auto& split : std::vector<std::vector<int>>{{64}, {1}, {7}, {40, 1}, {17}}) {
            EXPECT_TRUE(same_bits(run_model(model, tokens, o, split), whole))
                << architecture << n_threads << " threads, first piece " << split[0];
          }
        }
      }
    }
  }
}

TEST_P(ForwardTest, RowsStayTheSameWhileWorkersRestAndComeBack) {
  const std::vector<Token> tokens = some_tokens(64, 7);
  const TinyModelFile file({.architecture = "llama", .quantised = true});
  const Model model = load_bare_model(file.path());
  RunOptions o = options();
  o.exact = false;
  o.kv = Dtype::Q8_0;
  const std::vector<float> want = run_model(model, tokens, o, {64});
  o.n_threads = 5;
  Runner runner(model, o);
  std::vector<float> rows;
  for (std::size_t i = 0; i < tokens.size(); i += 4) {
    runner.pool.set_active(1 + static_cast<int>(i * 3 / 4 % 5));
    const auto some = runner.run(std::span(tokens).subspan(i, 4), LogitsOf::all_tokens);
    rows.insert(rows.end(), some.begin(), some.end());
  }
  EXPECT_TRUE(same_bits(rows, want));
}

TEST_P(ForwardTest, QuantisedActivationsCostLittle) {
  const std::vector<Token> tokens = some_tokens(48, 7);
  const TinyModelFile file({.quantised = true});
  const Model model = load_bare_model(file.path());
  RunOptions o = options();
  const std::vector<float> exact = run_model(model, tokens, o, {48});
  o.exact = false;
  const std::vector<float> fast = run_model(model, tokens, o, {48});
  const double nmse = difference(std::span<const float>(fast), std::span<const float>(exact)).nmse;
  EXPECT_GT(nmse, 0);
  // Rounding to 127 steps costs (1/127)^2 / 12 = 5e-6 of the largest value's square a matrix, and a
  // block's largest is about 2.5 times its mean square; there are seven matrices a layer.
  EXPECT_LE(nmse, 14 * 5.2e-6 * 6.25);
}

// Also where a layer adds to the stream at once.
TEST_P(ForwardTest, ALayersScaleMultipliesTheStream) {
  const std::vector<Token> tokens = some_tokens(12, 7);
  const auto logits = [&](std::vector<float> scale, const std::vector<int>& pieces) {
    const TemporaryFolder folder;
    GgufWriter gguf = tiny_model();
    if (!scale.empty()) gguf.add_tensor("blk.0.layer_output_scale.weight", {1}, scale);
    gguf.write(folder / "m.gguf");
    return run_model(load_bare_model(folder / "m.gguf"), tokens, options(), pieces);
  };
  const std::vector<float> plain = logits({}, {12}), half = logits({0.5F}, {12});
  EXPECT_TRUE(same_bits(logits({1}, {12}), plain));
  EXPECT_FALSE(same_bits(half, plain));
  EXPECT_TRUE(same_bits(logits({0.5F}, {1}), half));
  EXPECT_THAT(logits({0}, {12}), testing::Each(0.0F)) << "nothing is left to go on from";
}

TEST_P(ForwardTest, GivesTheRowsAskedFor) {
  const std::vector<Token> tokens = some_tokens(12, 7);
  const TinyModelFile file;
  const Model model = load_bare_model(file.path());
  const std::vector<float> all = run_model(model, tokens, options(), {12});
  Runner runner(model, options());
  EXPECT_TRUE(runner.run(std::span(tokens).first(5), LogitsOf::none).empty());
  EXPECT_EQ(runner.cache.n_tokens(), 5);
  const auto last = runner.run(std::span(tokens).subspan(5), LogitsOf::last_token);
  ASSERT_EQ(last.size(), 300U);
  EXPECT_EQ(runner.cache.n_tokens(), 12);
  EXPECT_EQ(std::memcmp(last.data(), &all[11 * 300], 300 * sizeof(float)), 0);
}

TEST_P(ForwardTest, ContinuesAfterTruncationAsIfNothingHadBeenThere) {
  const std::vector<Token> tokens = some_tokens(20, 7);
  const TinyModelFile file;
  const Model model = load_bare_model(file.path());
  const std::vector<float> want = run_model(model, tokens, options(), {20});
  Runner runner(model, options());
  const std::vector<Token> other(10, 42);
  runner.logits(std::span(tokens).first(11), {11});
  runner.logits(other, {3});
  runner.cache.truncate(11);
  const std::vector<float> rest = runner.logits(std::span(tokens).subspan(11), {4});
  EXPECT_EQ(std::memcmp(rest.data(), &want[11 * 300], rest.size() * sizeof(float)), 0);
}

TEST_P(ForwardTest, ARunThatIsStoppedLeavesNothing) {
  const std::vector<Token> tokens = some_tokens(20, 7);
  const TinyModelFile file({.n_layer = 3});
  const Model model = load_bare_model(file.path());
  const std::vector<float> want = run_model(model, tokens, options(), {20});
  Runner runner(model, options());
  ASSERT_TRUE(runner.forward.can_stop());
  std::vector<int> asked;
  const SequenceTokens run{&runner.cache, tokens, LogitsOf::all_tokens};
  EXPECT_FALSE(runner.forward.run({&run, 1}, [&](int il) {
    asked.push_back(il);
    return il < 2;
  }));
  EXPECT_EQ(asked, (std::vector<int>{1, 2}));
  EXPECT_EQ(runner.cache.n_tokens(), 0);
  const auto again = runner.run(tokens, LogitsOf::all_tokens);
  ASSERT_EQ(again.size(), want.size());
  EXPECT_EQ(std::memcmp(again.data(), want.data(), want.size() * sizeof(float)), 0);
}

TEST_P(ForwardTest, ContinuesFromRestoredBlocks) {
  const std::vector<Token> tokens = some_tokens(300, 7);
  const TinyModelFile file;
  const Model model = load_bare_model(file.path());
  RunOptions o = options();
  o.n_ctx = 400;
  o.kv = Dtype::Q8_0;
  Runner first(model, o), second(model, o);
  const std::vector<float> want = first.logits(tokens, {64});
  restore_whole_block(second.cache, 0, first.cache.block(0), kBlockTokens);
  restore_whole_block(second.cache, 1, first.cache.block(1), 20);
  ASSERT_EQ(second.cache.n_tokens(), 276);
  const std::vector<float> got = second.logits(std::span(tokens).subspan(276), {24});
  EXPECT_EQ(std::memcmp(got.data(), &want[276 * 300], got.size() * sizeof(float)), 0);
}

TEST_P(ForwardTest, ATokenCostsAtMostSixBarriersALayer) {
  const TinyModelFile file({.n_layer = 5});
  const Model model = load_bare_model(file.path());
  RunOptions o = options();
  o.n_threads = 2;
  Runner runner(model, o);
  const std::vector<Token> tokens = some_tokens(3, 7);
  runner.run(tokens, LogitsOf::none);
  const std::int64_t before = runner.pool.n_joins();
  runner.run(std::span(tokens).first(1), LogitsOf::last_token);
  EXPECT_GT(runner.pool.n_joins(), before);
  EXPECT_LE(runner.pool.n_joins() - before, 5 * 5 + 1);
}

TEST_P(ForwardTest, RunsWithoutAllocating) {
  if (!n_allocations()) GTEST_SKIP() << "sanitizers bring their own operator new";
  const TinyModelFile file({.quantised = true});
  const Model model = load_bare_model(file.path());
  RunOptions o = options();
  o.n_threads = 2;
  o.exact = false;
  o.kv = Dtype::Q8_0;
  Runner runner(model, o);
  const std::vector<Token> tokens = some_tokens(64, 7);
  runner.cache.make_room(64 + 1 + 33);
  const long before = *n_allocations();
  runner.run(tokens, LogitsOf::all_tokens);
  runner.run(std::span(tokens).first(1), LogitsOf::last_token);
  runner.run(std::span(tokens).first(33), LogitsOf::none);
  EXPECT_EQ(*n_allocations() - before, 0);
  EXPECT_GT(before, 0);
}

INSTANTIATE_TEST_SUITE_P(, ForwardTest, all_tables(), table_name);

TEST(ForwardPlanTest, ScratchGrowsWithBatchLogitsAndThreads) {
  const TinyModelFile file;
  const Model model = load_bare_model(file.path());
  const auto bytes = [&](int n_threads, int n_batch, int n_logits) {
    return Forward::scratch_bytes(model, n_threads, {.n_batch = n_batch, .n_logits = n_logits});
  };
  EXPECT_GE(bytes(1, 64, 64), bytes(1, 64, 1) + 62 * 300 * sizeof(float));
  EXPECT_GT(bytes(2, 64, 1), bytes(1, 64, 1));
  EXPECT_GT(bytes(1, 128, 1), bytes(1, 64, 1));
}

}  // namespace
}  // namespace confab::engine
