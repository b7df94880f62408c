// SPDX-License-Identifier: MIT
// What a pass reads of weights and cache, by what its commands say of themselves.
#include "engine/gpu/gpu_recorder.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>

#include "engine/gpu/few_rows.h"
#include "engine/gpu/gpu_decoder.h"
#include "engine/model/products.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/tiny_model.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using BytesOfFormat = std::map<std::string, std::uint64_t>;

// All matrices n_times, but routers once, of the embedding n_rows rows, and of experts those that
// are chosen.
BytesOfFormat bytes_of_pass(const Model& model, std::uint64_t n_rows, std::uint64_t n_times) {
  BytesOfFormat all;
  for_each_product(Plan(model.hparams, model.weights), [&](const Product& product) {
    const Matrix& m = product.matrix;
    std::uint64_t& n_bytes = all[std::string(kernels::info(m.rows.dtype).name)];
    const ExpertHparams& e = model.hparams.experts;
    if (product.name == "token_embd")
      n_bytes += m.rows.row_bytes * n_rows;
    else if (product.is_of_experts())  // one of n_expert that are visited
      n_bytes += m.n_bytes() * static_cast<std::uint64_t>(e.n_expert_used) * n_rows /
                 static_cast<std::uint64_t>(e.n_expert);
    else
      n_bytes += m.n_bytes() * (product.name.starts_with("ffn_gate_inp") ? 1 : n_times);
  });
  return all;
}

// The same as the programs tell it, by planes or not.
BytesOfFormat bytes_read(const std::vector<ProgramRun>& programs) {
  BytesOfFormat all;
  for (const ProgramRun& run : programs)
    if (run.weight_bytes > 0) all[run.format.substr(0, run.format.find(' '))] += run.weight_bytes;
  return all;
}

std::uint64_t cache_bytes(const std::vector<ProgramRun>& programs, const std::string& name) {
  return std::accumulate(programs.begin(), programs.end(), std::uint64_t{0},
                         [&](std::uint64_t n, const ProgramRun& run) {
                           return run.program == name ? n + run.cache_bytes : n;
                         });
}

// The programs of a pass of n more tokens.
std::vector<ProgramRun> trace(Decoder& decoder, Sequence& sequence, int n) {
  const std::vector<Token> tokens = some_tokens(n, 9);
  const SequenceRun run{&sequence, tokens, LogitsOf::all_tokens};
  std::vector<ProgramRun> programs;
  EXPECT_EQ(decoder.trace({&run, 1}, programs), RunEnd::done);
  return programs;
}

class GpuRecorderTest : public testing::TestWithParam<TinyModelOptions> {};

// Until tiles of 64 rows take less.
TEST_P(GpuRecorderTest, WeightsAreReadOnceForEachEightRows) {
  CONFAB_NEEDS_GPU();
  const TinyModelFile file(GetParam());
  const Model model = load_bare_model(file.path());
  GpuDecoder decoder(*kernels::vulkan::some_gpu(), model,
                     {.n_ctx = 256, .n_pages = 2, .n_batch = 64, .n_logits = 64});
  for (const int n_rows : {1, 8, 9, 16, 41, 48, 49}) {
    if (n_rows > 8 && kernels::vulkan::some_gpu()->matrix_cores) continue;  // which read them once
    if (n_rows > 16 && GetParam().n_expert > 0) continue;  // of many choices, in their order
    const auto sequence = decoder.make_sequence();
    const std::vector<ProgramRun> programs = trace(decoder, *sequence, n_rows);
    for (const ProgramRun& run : programs) {
      EXPECT_GT(run.n_instructions, 0);
      EXPECT_NE(run.program, "");
    }
    EXPECT_EQ(bytes_read(programs),
              bytes_of_pass(model, static_cast<std::uint64_t>(n_rows),
                            n_rows > 48 ? 1 : static_cast<std::uint64_t>(count(n_rows, 8))))
        << n_rows;
  }
}

// All positions that the row sees, or those in a window.
class GpuRecorderCacheTest : public testing::TestWithParam<int> {};

TEST_P(GpuRecorderCacheTest, ARowReadsThePositionsThatItSeesAndWritesItsOwn) {
  CONFAB_NEEDS_GPU();
  constexpr int kBefore = 20, kRows = 8;
  const int window = GetParam();
  // No heads share keys: these are read once, however many heads a workgroup has.
  const TinyModelFile file(window == 0
                               ? TinyModelOptions{.n_head_kv = 2}
                               : TinyModelOptions{.architecture = "starcoder2",
                                                  .n_head_kv = 2,
                                                  .biases = true,
                                                  .layer_norms = true,
                                                  .gated = false,
                                                  .window = static_cast<std::uint32_t>(window)});
  const Model model = load_bare_model(file.path());
  GpuDecoder decoder(*kernels::vulkan::some_gpu(), model,
                     {.n_ctx = 256, .n_pages = 2, .n_logits = kBefore});
  const KvLayout layout(model.hparams, kernels::Dtype::Q8_0, kernels::Dtype::Q8_0);
  std::uint64_t n_written = 0, n_read = 0;
  for (int il = 0; il < model.hparams.n_layer; ++il) {
    const KvLayout::Layer& kept = layout.layer(il);
    const std::uint64_t of_position =
        static_cast<std::uint64_t>(kept.n_head_kv) * (kept.k.row_bytes + kept.v.row_bytes);
    ASSERT_EQ(model.hparams.layers[static_cast<std::size_t>(il)].window, window);
    n_written += kBefore * of_position;
    for (int n_seen = kBefore + 1; n_seen <= kBefore + kRows; ++n_seen) {
      n_read +=
          of_position * static_cast<std::uint64_t>(window > 0 ? std::min(window, n_seen) : n_seen);
    }
  }
  const auto sequence = decoder.make_sequence();
  EXPECT_EQ(cache_bytes(trace(decoder, *sequence, kBefore), "rope_append"), n_written);
  // Of few rows, attention itself writes each row's own position.
  const std::vector<ProgramRun> programs = trace(decoder, *sequence, kRows);
  EXPECT_EQ(cache_bytes(programs, "rope_append"), 0U);
  EXPECT_EQ(cache_bytes(programs, "attention"), n_read);
}

INSTANTIATE_TEST_SUITE_P(Windows, GpuRecorderCacheTest, testing::Values(0, 8));

INSTANTIATE_TEST_SUITE_P(
    , GpuRecorderTest,
    testing::Values(TinyModelOptions{}, TinyModelOptions{.quantised = true},
                    TinyModelOptions{.tied = true, .biases = true},
                    TinyModelOptions{.quantised = true, .n_expert = 8},
                    TinyModelOptions{.architecture = "qwen2moe", .n_expert = 4, .n_ff_shared = 32}),
    [](const testing::TestParamInfo<TinyModelOptions>& param_info) {
      const TinyModelOptions& o = param_info.param;
      return o.architecture + (o.quantised ? "_q8" : "") + (o.tied ? "_tied" : "") +
             (o.n_expert > 0 ? "_experts" : "");
    });

}  // namespace
}  // namespace confab::engine
