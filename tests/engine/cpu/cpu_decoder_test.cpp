// SPDX-License-Identifier: MIT
#include "engine/cpu/cpu_decoder.h"

#include <gtest/gtest.h>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

class CpuDecoderTest : public testing::TestWithParam<const kernels::KernelTable*> {
 protected:
  static std::vector<float> copy(std::span<const float> row) { return {row.begin(), row.end()}; }
  static constexpr auto kGoOn = [](int) { return true; };
};

// Rows of several sequences in one pass, each with what it wants back, are those of each alone:
// with grouped heads, windows, latents, gates, recurrent layers, experts.
TEST_P(CpuDecoderTest, SequencesInOnePassAreAsTheyAreAlone) {
  const std::vector<Token> tokens = some_tokens(200, 3, 290);
  const auto piece = [&](std::size_t begin, std::size_t n) {
    return std::span(tokens).subspan(begin, n);
  };
  for (const TinyModelOptions& shape :
       {TinyModelOptions{.n_ctx = 1024}, TinyModelOptions{.n_ctx = 1024, .quantised = true},
        TinyModelOptions{
            .architecture = "qwen2moe", .quantised = true, .n_expert = 6, .n_ff_shared = 64}}) {
    const TinyModelFile file(shape);
    Model model = load_bare_model(file.path());
    model.hparams.layers[1].window = 40;
    kernels::ThreadPool pool(2);
    const auto make = [&] {
      return std::make_unique<CpuDecoder>(
          model, *GetParam(), pool,
          CpuDecoder::Options{.n_ctx = 300,
                              .n_pages = 12,
                              .type_k = kernels::Dtype::F16,
                              .type_v = kernels::Dtype::F16,
                              .forward = {.n_batch = 256, .n_logits = 128}});
    };
    const auto alone = make(), shared = make();
    struct Part {
      std::size_t begin, n;
      LogitsOf wanted;
    };
    const std::vector<std::vector<Part>> passes = {
        {{0, 60, LogitsOf::last_token}, {10, 1, LogitsOf::none}, {20, 33, LogitsOf::all_tokens}},
        {{60, 1, LogitsOf::all_tokens},
         {11, 50, LogitsOf::last_token},
         {53, 4, LogitsOf::all_tokens}},
        {{61, 2, LogitsOf::none}, {61, 1, LogitsOf::none}, {57, 1, LogitsOf::none}},
        {{63, 1, LogitsOf::last_token}, {62, 1, LogitsOf::last_token}, {58, 9, LogitsOf::none}}};
    std::vector<std::unique_ptr<Sequence>> one, many;
    for (int i = 0; i < 3; ++i) {
      one.push_back(alone->make_sequence());
      many.push_back(shared->make_sequence());
    }
    for (const auto& pass : passes) {
      std::vector<SequenceRun> runs;
      for (std::size_t i = 0; i < 3; ++i)
        runs.push_back({many[i].get(), piece(pass[i].begin, pass[i].n), pass[i].wanted});
      ASSERT_EQ(shared->run(runs, kGoOn), RunEnd::done);
      for (std::size_t i = 0; i < 3; ++i) {
        const SequenceRun run{one[i].get(), runs[i].tokens, runs[i].logits};
        ASSERT_EQ(alone->run({&run, 1}, kGoOn), RunEnd::done);
        const auto want = copy(alone->logits(0)), got = copy(shared->logits(i));
        EXPECT_TRUE(same_bits(got, want)) << shape.architecture << ' ' << i;
        EXPECT_TRUE(same_bits(copy(shared->hidden(i)), copy(alone->hidden(0))));
        EXPECT_EQ(many[i]->n_tokens(), one[i]->n_tokens());
      }
    }
  }
}

TEST_P(CpuDecoderTest, AForkGoesOnAsItsOwnPast) {
  const std::vector<Token> tokens = some_tokens(400, 5);
  const TinyModelFile file({.n_ctx = 1024});
  const Model model = load_bare_model(file.path());
  kernels::ThreadPool pool(1);
  CpuDecoder decoder(model, *GetParam(), pool,
                     {.n_ctx = 512, .n_pages = 8, .forward = {.n_batch = 512, .n_logits = 1}});
  const auto run = [&](Sequence& sequence, std::span<const Token> part) {
    const SequenceRun one{&sequence, part, LogitsOf::last_token};
    EXPECT_EQ(decoder.run({&one, 1}, kGoOn), RunEnd::done);
    return copy(decoder.logits(0));
  };
  const auto first = decoder.make_sequence();
  run(*first, tokens);
  for (const int n : {400, 300, 256, 1}) {
    const auto fork = first->fork(n);
    const auto fresh = decoder.make_sequence();
    run(*fresh, std::span(tokens).first(static_cast<std::size_t>(n)));
    const Token next = 7;
    EXPECT_TRUE(same_bits(run(*fork, {&next, 1}), run(*fresh, {&next, 1}))) << n;
  }
  EXPECT_EQ(first->n_tokens(), 400);
}

// Of layers with a window, what is spent is not missed: not even its memory is there.
TEST_P(CpuDecoderTest, NoTokenReadsWhatIsSpent) {
  const std::vector<Token> tokens = some_tokens(2600, 9, 290);
  const TinyModelFile file({.n_layer = 3, .n_head_kv = 2, .n_ctx = 4096});
  Model model = load_bare_model(file.path());
  for (const std::size_t il : {0, 2}) model.hparams.layers[il].window = 150;
  kernels::ThreadPool pool(2);
  CpuDecoder decoder(model, *GetParam(), pool,
                     {.n_ctx = 2816, .n_pages = 24, .forward = {.n_batch = 128, .n_logits = 1}});
  const auto whole = decoder.make_sequence(), spent = decoder.make_sequence();
  std::vector<BlockPayload> lent;  // which keeps them whole
  const auto run = [&](Sequence& sequence, std::span<const Token> part) {
    const SequenceRun one{&sequence, part, LogitsOf::last_token};
    EXPECT_EQ(decoder.run({&one, 1}, kGoOn), RunEnd::done);
    return copy(decoder.logits(0));
  };
  for (std::size_t pos = 0; pos < tokens.size();) {
    const auto part = std::span(tokens).subspan(pos, pos < 2560 ? 128 : 1);
    ASSERT_TRUE(same_bits(run(*whole, part), run(*spent, part))) << pos;
    pos += part.size();
    while (static_cast<int>(lent.size()) < whole->n_tokens() / kBlockTokens)
      lent.push_back(whole->block(static_cast<int>(lent.size())));
  }
  EXPECT_TRUE(whole->is_whole(0));
  EXPECT_FALSE(spent->is_whole(4));
  constexpr int kBack = 2600 - kWindowSlack;
  EXPECT_EQ(spent->fork(600)->n_tokens(), 0);
  const auto fork = spent->fork(kBack), other = whole->fork(kBack);
  ASSERT_EQ(fork->n_tokens(), kBack);
  EXPECT_TRUE(same_bits(run(*fork, {tokens.data(), 5}), run(*other, {tokens.data(), 5})));
}

// As a draft model's is: its memory is what is planned for one.
TEST_P(CpuDecoderTest, OfOneSequenceOnlySoManyPagesAreWhole) {
  const TinyModelFile file({.n_layer = 3, .n_head_kv = 2, .n_ctx = 4096});
  Model model = load_bare_model(file.path());
  for (const std::size_t il : {0, 2}) model.hparams.layers[il].window = 150;
  kernels::ThreadPool pool(1);
  const CpuDecoder decoder(model, *GetParam(), pool,
                           {.n_ctx = 4096, .forward = {.n_batch = 128, .n_logits = 1}});
  EXPECT_EQ(decoder.pages().n_pages(), 16 + CpuDecoder::kSparePages);
  EXPECT_EQ(decoder.pages().n_free(), 7 + CpuDecoder::kSparePages) << "of 149 + 1024 + 128 rows";
}

INSTANTIATE_TEST_SUITE_P(, CpuDecoderTest, all_tables(), table_name);

}  // namespace
}  // namespace confab::engine
