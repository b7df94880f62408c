// SPDX-License-Identifier: MIT
// The memory plan against what the process then has: bench/memory_fit.cpp does the same for nine
// shapes of 100 MB and more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/cpu/cpu_decoder.h"
#include "engine/model/model.h"
#include "engine/platform/memory.h"
#include "engine/run/context_plan.h"
#include "kernels/isa.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

struct Setting {
  const char* name;
  const char* architecture;
  std::uint32_t n_expert;
  Dtype cache;
  int window = 0;  // of all layers but the last
};

std::ostream& operator<<(std::ostream& out, const Setting& setting) {
  return out << setting.name;
}

class MeasuredPlanTest : public testing::TestWithParam<Setting> {
 protected:
  static constexpr int kContext = 4096, kBatch = 64;

  static TinyModelOptions shape() {
    return {.architecture = GetParam().architecture,
            .n_layer = 4,
            .n_embd = 256,
            .n_head = 4,
            .n_head_kv = 4,
            .n_ff = GetParam().n_expert > 0 ? 128U : 768U,
            .n_ctx = kContext,
            .n_expert = GetParam().n_expert,
            .added = 0.03F};
  }

  static std::unique_ptr<const Model> windowed(const std::string& path) {
    auto model = Model::load(path);
    std::vector<LayerHparams>& layers = const_cast<Hparams&>(model->hparams).layers;
    for (std::size_t il = 0; il + 1 < layers.size(); ++il) layers[il].window = GetParam().window;
    return model;
  }

  // All ids in turn, until the context is full.
  static void fill(CpuDecoder& decoder, const ContextPlan& plan) {
    const auto sequence = decoder.make_sequence();
    std::vector<Token> tokens(kBatch);
    platform::MemoryUse use;
    for (int pos = 0; pos < plan.n_ctx; pos += kBatch) {
      for (int i = 0; i < kBatch; ++i) tokens[static_cast<std::size_t>(i)] = (pos + 7 * i) % 300;
      const SequenceRun run{sequence.get(), tokens, LogitsOf::last_token};
      ASSERT_EQ(decoder.run({&run, 1}, [](int) { return true; }), RunEnd::done);
      const platform::MemoryUse now = platform::memory_use();
      use.anonymous_bytes = std::max(use.anonymous_bytes, now.anonymous_bytes);
      use.mapped_bytes = std::max(use.mapped_bytes, now.mapped_bytes);
    }
    const auto off = [](std::uint64_t planned, std::uint64_t real) {
      return std::abs(static_cast<double>(planned) - static_cast<double>(real));
    };
    // 3 %, and what allocators and pages of code come to in a process that tests other things.
    constexpr double kShare = 0.03, kBeside = 1.5 * (1 << 20);
    EXPECT_LE(off(plan.memory.anonymous_bytes(), use.anonymous_bytes),
              kShare * static_cast<double>(use.anonymous_bytes) + kBeside);
    EXPECT_LE(off(plan.memory.mapped_bytes(), use.mapped_bytes),
              kShare * static_cast<double>(use.mapped_bytes) + kBeside);
  }
};

TEST_P(MeasuredPlanTest, IsWhatTheProcessThenHas) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__linux__)
  GTEST_SKIP() << "needs memory that nobody else takes a share of";
#endif
  const TinyModelFile file(shape());
  const std::unique_ptr<const Model> model = windowed(file.path());
  const LoadOptions options{.n_ctx = kContext,
                            .n_threads = 2,
                            .n_batch = kBatch,
                            .type_k = GetParam().cache,
                            .type_v = GetParam().cache,
                            .lookup = false};
  const ContextPlan plan = plan_context(*model, options);
  // Parts that are as large as what may be off would show nothing.
  EXPECT_GT(plan.memory.weights_bytes, std::uint64_t{10} << 20);
  EXPECT_GT(plan.memory.kv_bytes - plan.memory.spare_bytes, std::uint64_t{4} << 20);
  kernels::ThreadPool pool(plan.n_threads);
  CpuDecoder decoder(*model, kernels::choose_kernel_table(""), pool,
                     {.n_ctx = plan.n_ctx,
                      .n_pages = plan.n_pages,
                      .n_whole = plan.n_whole,
                      .type_k = plan.type_k,
                      .type_v = plan.type_v,
                      .forward = {.n_batch = plan.n_batch, .n_logits = plan.n_logits}});
  fill(decoder, plan);
}

constexpr Setting kSettings[] = {
    {"dense_f16", "llama", 0, Dtype::F16},     {"windows_f16", "llama", 0, Dtype::F16, 256},
    {"dense_q8_0", "llama", 0, Dtype::Q8_0},   {"dense_q4_0", "llama", 0, Dtype::Q4_0},
    {"mixture_q8_0", "llama", 8, Dtype::Q8_0}, {"recurrent_f16", "qwen35", 0, Dtype::F16}};

INSTANTIATE_TEST_SUITE_P(Shapes, MeasuredPlanTest, testing::ValuesIn(kSettings),
                         [](const auto& setting) { return std::string(setting.param.name); });

}  // namespace
}  // namespace confab::engine
