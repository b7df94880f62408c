// SPDX-License-Identifier: MIT
// Passes of few rows: what attention does for itself; and prompts, whose queries it takes in tiles.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/gpu/gpu_decoder.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden.h"
#include "tests/engine/gpu/logits_of.h"
#include "tests/engine/tiny_model.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

GpuDecoder decoder_of(const Model& model, Dtype type) {
  return {*kernels::vulkan::some_gpu(),
          model,
          {.n_ctx = 512,
           .n_pages = 8,
           .type_k = type,
           .type_v = type,
           .n_batch = 256,
           .n_logits = 256}};
}

std::ptrdiff_t n_runs(const std::vector<ProgramRun>& programs, const std::string& name) {
  return std::ranges::count(programs, name, &ProgramRun::program);
}

TEST(AttentionRecorderTest, OnlyPassesOfManyRowsHaveAProgramForRope) {
  CONFAB_NEEDS_GPU();
  const TinyModelFile file;
  const Model model = load_bare_model(file.path());
  GpuDecoder decoder = decoder_of(model, Dtype::Q8_0);
  const std::vector<Token> tokens = some_tokens(20, 3);
  for (const std::size_t n_rows : {1U, 2U, 8U, 20U}) {
    const auto sequence = decoder.make_sequence();
    const SequenceRun run{sequence.get(), std::span(tokens).first(n_rows), LogitsOf::all_tokens};
    std::vector<ProgramRun> programs;
    EXPECT_EQ(decoder.trace({&run, 1}, programs), RunEnd::done);
    EXPECT_EQ(n_runs(programs, "attention"), n_rows == 20 ? 0 : model.hparams.n_layer) << n_rows;
    EXPECT_EQ(n_runs(programs, "rope_append"), n_rows == 20 ? model.hparams.n_layer : 0) << n_rows;
  }
}

// Tokens after a prompt, one by one and in twos, the last ones of a kind. Compilers of graphics
// processors may round otherwise in programs for two rows; where the processor plays one they do
// not. What keys of other positions would give is a thousandth off, and more.
void expect_same_rows(const TinyModelOptions& options, Dtype type, int n_prompt) {
  const TinyModelFile file(options);
  const Model model = load_bare_model(file.path());
  GpuDecoder decoder = decoder_of(model, type);
  const std::vector<Token> tokens = some_tokens(n_prompt + 7, 5);
  const std::vector<float> alone = logits_of(decoder, tokens, {n_prompt, 1});
  const std::vector<float> two = logits_of(decoder, tokens, {n_prompt, 1, 2});
  const std::string what = options.architecture + ' ' + std::string(kernels::info(type).name);
  EXPECT_LE(difference(std::span<const float>(alone), std::span<const float>(two)).nmse, 1e-5)
      << what;
  if (kernels::vulkan::some_gpu()->type == kernels::vulkan::GpuInfo::Type::processor) {
    EXPECT_TRUE(same_bits(alone, two)) << what;
  }
}

// A row that is computed beside the one before it reads that one's keys before the cache has them:
// also across the border of a range (64) or a page (256).
TEST(AttentionRecorderTest, KeysOfThePassAreWhatTheCacheWillHave) {
  CONFAB_NEEDS_GPU();
  const TinyModelOptions heads{.n_embd = 128, .n_head = 4, .n_head_kv = 2};
  const TinyModelOptions window{.architecture = "starcoder2",
                                .n_embd = 128,
                                .n_head = 4,
                                .biases = true,
                                .layer_norms = true,
                                .gated = false,
                                .window = 40};
  for (const Dtype type : {Dtype::F32, Dtype::F16, Dtype::Q8_0}) expect_same_rows(heads, type, 60);
  expect_same_rows(window, Dtype::Q8_0, 60);
  expect_same_rows({.n_embd = 128, .n_head = 4}, Dtype::Q8_0, 252);
}

// Rows of a pass that are of several sequences, of one alone and of two, see their own.
TEST(AttentionRecorderTest, RowsSeeTheirOwnSequenceAlone) {
  CONFAB_NEEDS_GPU();
  const TinyModelFile file({.n_embd = 128, .n_head = 4, .n_head_kv = 2});
  const Model model = load_bare_model(file.path());
  const std::vector<Token> tokens = some_tokens(40, 7);
  const std::vector<float> want = run_model(model, tokens, {}, {40});
  const auto n_vocab = static_cast<std::size_t>(model.hparams.n_vocab);
  GpuDecoder decoder = decoder_of(model, Dtype::F32);
  std::unique_ptr<Sequence> sequences[3];
  for (auto& sequence : sequences) sequence = decoder.make_sequence();
  const std::size_t begins[]{0, 3, 9};  // where each has come to
  const auto run = [&](std::initializer_list<std::size_t> sizes, const std::size_t* from) {
    std::vector<SequenceRun> runs;
    for (std::size_t i = 0; const std::size_t n : sizes) {
      if (n > 0)
        runs.push_back(
            {sequences[i].get(), std::span(tokens).subspan(from[i], n), LogitsOf::all_tokens});
      ++i;
    }
    EXPECT_EQ(decoder.run(runs, [](int) { return true; }), RunEnd::done);
  };
  const std::size_t none[]{0, 0, 0};
  run({0, 3, 9}, none);
  run({1, 2, 1}, begins);
  const std::size_t n_rows[]{1, 2, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::span<const float> expected =
        std::span(want).subspan(begins[i] * n_vocab, n_rows[i] * n_vocab);
    EXPECT_LE(difference(decoder.logits(i), expected).nmse, 5e-4) << i;
  }
}

// Prompts: tiles of queries of several heads that do not end with a row or a pass, chunks that do
// not end with what a row sees, a window that leaves out whole chunks.
class AttentionTilesTest : public testing::TestWithParam<std::pair<const char*, TinyModelOptions>> {
};

TEST_P(AttentionTilesTest, GiveWhatTheProcessorGives) {
  CONFAB_NEEDS_GPU();
  const TinyModelFile file(GetParam().second);
  const Model model = load_bare_model(file.path());
  const std::vector<Token> tokens = some_tokens(300, 11);
  const std::vector<float> want = run_model(model, tokens, {.n_ctx = 512}, {60});
  for (const Dtype type : {Dtype::Q8_0, Dtype::F16, Dtype::F32}) {
    if (type == Dtype::F32 && model.hparams.n_embd > 128) break;  // such programs take long to make
    GpuDecoder decoder = decoder_of(model, type);
    const std::vector<float> got = logits_of(decoder, tokens, {100, 65, 18, 117});
    EXPECT_LE(difference(std::span<const float>(got), std::span<const float>(want)).nmse,
              type == Dtype::Q8_0  ? 5e-4
              : type == Dtype::F16 ? 1e-4
                                   : 1e-5)
        << kernels::info(type).name;
  }
}

TinyModelOptions heads_of(std::uint32_t n_embd, std::uint32_t n_head, std::uint32_t n_head_kv) {
  return {.n_layer = 1, .n_embd = n_embd, .n_head = n_head, .n_head_kv = n_head_kv};
}
TinyModelOptions window_of(std::uint32_t window) {
  return {.architecture = "starcoder2",
          .n_embd = 128,
          .n_head = 2,
          .biases = true,
          .layer_norms = true,
          .gated = false,
          .window = window};
}

INSTANTIATE_TEST_SUITE_P(, AttentionTilesTest,
                         testing::Values(std::pair{"four_by_32", heads_of(128, 4, 1)},
                                         std::pair{"three_by_64", heads_of(192, 3, 1)},
                                         std::pair{"one_by_96", heads_of(192, 2, 2)},
                                         std::pair{"two_by_128", heads_of(256, 2, 1)},
                                         std::pair{"two_by_256", heads_of(512, 2, 1)},
                                         std::pair{"window_of_20", window_of(20)},
                                         std::pair{"window_of_150", window_of(150)}),
                         [](const auto& param_info) {
                           return std::string(param_info.param.first);
                         });

TEST(AttentionRecorderTest, TilesReadTheCacheOnceForAllTheirQueries) {
  CONFAB_NEEDS_GPU();
  const TinyModelFile file(heads_of(128, 4, 2));
  const Model model = load_bare_model(file.path());
  GpuDecoder decoder = decoder_of(model, Dtype::F16);
  const auto sequence = decoder.make_sequence();
  const std::vector<Token> tokens = some_tokens(128, 3);
  const SequenceRun run{sequence.get(), tokens, LogitsOf::all_tokens};
  std::vector<ProgramRun> programs;
  EXPECT_EQ(decoder.trace({&run, 1}, programs), RunEnd::done);
  EXPECT_EQ(n_runs(programs, "attention"), 0);
  const auto tiles = std::ranges::find(programs, "attention_tiles", &ProgramRun::program);
  ASSERT_NE(tiles, programs.end());
  constexpr std::uint64_t kOfPosition = 2 * 2 * 32 * 2;  // keys and values of both heads, of f16
  EXPECT_EQ(tiles->cache_bytes, kOfPosition * (128 * 129 / 2) / 32);  // by two heads of 32 rows
}

// Tiles that have rows of several sequences; and where one has few, rows each by itself.
void expect_own_sequences(const TinyModelOptions& options, Dtype type) {
  const TinyModelFile file(options);
  const Model model = load_bare_model(file.path());
  const std::vector<Token> tokens = some_tokens(180, 7);
  const std::vector<float> want = run_model(model, tokens, {}, {60});
  GpuDecoder decoder = decoder_of(model, type);
  std::unique_ptr<Sequence> sequences[4];
  std::size_t n_done[4]{};
  for (auto& sequence : sequences) sequence = decoder.make_sequence();
  const auto n_vocab = static_cast<std::size_t>(model.hparams.n_vocab);
  using Sizes = std::array<std::size_t, 4>;
  for (const auto& sizes : {Sizes{40, 8, 9, 90}, Sizes{8, 10, 64, 12}, Sizes{70, 70, 1, 9}}) {
    std::vector<SequenceRun> runs;
    for (std::size_t i = 0; i < 4; ++i)
      runs.push_back({sequences[i].get(), std::span(tokens).subspan(n_done[i], sizes[i]),
                      LogitsOf::all_tokens});
    std::vector<ProgramRun> programs;
    EXPECT_EQ(decoder.trace(runs, programs), RunEnd::done);
    EXPECT_EQ(n_runs(programs, "attention"), sizes[2] == 1 ? model.hparams.n_layer : 0);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::span<const float> expected =
          std::span(want).subspan(n_done[i] * n_vocab, sizes[i] * n_vocab);
      EXPECT_LE(difference(decoder.logits(i), expected).nmse, type == Dtype::F32 ? 1e-5 : 1e-4)
          << i << ' ' << n_done[i];
      n_done[i] += sizes[i];
    }
  }
}

TEST(AttentionRecorderTest, TilesSeeTheirOwnSequencesAlone) {
  CONFAB_NEEDS_GPU();
  expect_own_sequences(heads_of(128, 4, 2), Dtype::F32);
  expect_own_sequences(heads_of(128, 2, 1), Dtype::F16);
}

}  // namespace
}  // namespace confab::engine
