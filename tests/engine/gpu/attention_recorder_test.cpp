// SPDX-License-Identifier: MIT
// Passes of few rows: what attention does for itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

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
    EXPECT_EQ(n_runs(programs, "attention"), model.hparams.n_layer) << n_rows;
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

}  // namespace
}  // namespace confab::engine
