// SPDX-License-Identifier: MIT
#include "engine/run/context_plan.h"
#include "engine/run/local_chat_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "engine/cpu/cpu_decoder.h"
#include "engine/error.h"
#include "engine/model/model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using testing::HasSubstr;

constexpr std::uint64_t kPlenty = std::numeric_limits<std::uint64_t>::max();

class MemoryPlanTest : public testing::Test {
 protected:
  static std::string refusal(const Model& model, const LoadOptions& options,
                             std::uint64_t available) {
    try {
      plan_context(model, options, available);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "accepted";
  }

  const TinyModelFile file{{.n_ctx = 4096}};
  const std::unique_ptr<const Model> model = Model::load(file.path());
};

TEST_F(MemoryPlanTest, TheContextIsTheModelsOwnUpTo8192) {
  EXPECT_EQ(plan_context(*model, {}, kPlenty).n_ctx, 4096);
  const TinyModelFile large({.n_ctx = 131072});
  const auto large_model = Model::load(large.path());
  EXPECT_EQ(plan_context(*large_model, {}, kPlenty).n_ctx, 8192);
  EXPECT_EQ(plan_context(*large_model, {.n_ctx = 100000}, kPlenty).n_ctx, 100000);
}

TEST_F(MemoryPlanTest, AContextBeyondTheModelsOwnIsRefused) {
  EXPECT_EQ(plan_context(*model, {.n_ctx = 4096}, kPlenty).n_ctx, 4096);
  EXPECT_THAT(refusal(*model, {.n_ctx = 4097}, kPlenty), HasSubstr("4097 tokens"));
  EXPECT_THAT(refusal(*model, {.n_ctx = 4097}, kPlenty), HasSubstr("4096"));
  EXPECT_THAT(refusal(*model, {.n_ctx = -1}, kPlenty), HasSubstr("allows 1 to 4096"));
}

TEST_F(MemoryPlanTest, TheCacheIsQ8_0WhereTheHeadAllowsIt) {
  EXPECT_EQ(plan_context(*model, {}, kPlenty).type_k, Dtype::Q8_0);
  const TinyModelFile narrow({.n_embd = 64, .n_head = 4, .n_head_kv = 2});
  const auto narrow_model = Model::load(narrow.path());
  const ContextPlan plan = plan_context(*narrow_model, {.type_v = Dtype::F32}, kPlenty);
  EXPECT_EQ(plan.type_k, Dtype::F16);
  EXPECT_EQ(plan.type_v, Dtype::F32);
  EXPECT_THAT(refusal(*narrow_model, {.type_k = Dtype::Q8_0}, kPlenty), HasSubstr("Q8_0"));
  EXPECT_THAT(
      refusal(*narrow_model, {.type_v = Dtype::IQ4_NL}, kPlenty),
      HasSubstr("KV cache type IQ4_NL needs a head size that is a multiple of 32, found 16; "
                "f16 works"));
  EXPECT_THAT(refusal(*model, {.type_k = Dtype::Q4_K}, kPlenty),
              HasSubstr("KV cache type Q4_K: expected f32, f16, bf16, q8_0"));
  EXPECT_EQ(plan_context(*model, {.type_k = Dtype::Q4_0}, kPlenty).type_k, Dtype::Q4_0);
}

TEST_F(MemoryPlanTest, ThreadsAndBatchAreSettled) {
  EXPECT_GE(plan_context(*model, {}, kPlenty).n_threads, 1);
  EXPECT_EQ(plan_context(*model, {.n_threads = 3}, kPlenty).n_threads, 3);
  EXPECT_EQ(plan_context(*model, {.n_ctx = 100, .n_batch = 512}, kPlenty).n_batch, 100);
  EXPECT_THAT(refusal(*model, {.n_threads = -1}, kPlenty), HasSubstr("threads"));
  EXPECT_THAT(refusal(*model, {.n_batch = 0}, kPlenty), HasSubstr("batch"));
}

TEST_F(MemoryPlanTest, CountsWhatIsReallyTaken) {
  const ContextPlan plan =
      plan_context(*model, {.n_ctx = 1000, .n_threads = 2, .type_k = Dtype::F32}, kPlenty);
  const MemoryPlan& memory = plan.memory;
  EXPECT_EQ(memory.weights_bytes, std::filesystem::file_size(file.path()));
  // 4 blocks of 256 tokens, 2 layers, one KV head of 32: K in F32, V in Q8_0; each block in whole
  // pages of 64 KiB.
  EXPECT_EQ(plan.n_pages, 4 + CpuDecoder::kSparePages);
  EXPECT_EQ(memory.kv_bytes, 6U * ((256 * 2 * (32 * 4 + 34) + 65535) / 65536 * 65536));
  EXPECT_EQ(plan.n_logits, 16);
  EXPECT_EQ(memory.scratch_bytes,
            Forward::scratch_bytes(*model, 2, {.n_batch = 512, .n_logits = 16}));
  EXPECT_EQ(memory.total_bytes(), memory.weights_bytes + memory.kv_bytes + memory.scratch_bytes);
}

// What a draft's tokens change a recurrent state by is kept where there may be drafts.
TEST_F(MemoryPlanTest, CountsWhatIsRecurrent) {
  const TinyModelFile recurrent({.architecture = "qwen35"});
  const auto drafted = Model::load(recurrent.path());
  const auto kv_bytes = [&](const LoadOptions& options) {
    return plan_context(*drafted, options, kPlenty).memory.kv_bytes;
  };
  const std::uint64_t without = kv_bytes({.n_ctx = 256, .lookup = false});
  EXPECT_EQ(without, kv_bytes({.n_ctx = 256, .n_batch = 4, .lookup = false}));
  const auto bytes = [](std::uint64_t n_tokens) {
    const std::uint64_t n_channels = (2 * kTinyKeyHeads + kTinyValueHeads) * kTinyState;
    const std::uint64_t state =
        (kTinyConv - 1) * n_channels + kTinyValueHeads * kTinyState * kTinyState;
    return (state + n_tokens * (n_channels + 2 * kTinyValueHeads)) * sizeof(float);
  };
  EXPECT_EQ(kv_bytes({.n_ctx = 256}) - without, bytes(16));
  EXPECT_EQ(kv_bytes({.n_ctx = 256, .n_batch = 4}) - without, bytes(4));
  EXPECT_EQ(kv_bytes({.n_ctx = 256, .lookup = false, .draft = {.path = "x"}}),
            kv_bytes({.n_ctx = 256}));
}

// Without drafts a pass is asked for one row of logits, with them for as many as a batch has.
TEST_F(MemoryPlanTest, HasRoomForTheLogitsOfADraft) {
  EXPECT_EQ(plan_context(*model, {.n_ctx = 1000, .lookup = false}, kPlenty).n_logits, 16)
      << "of several answers";
  EXPECT_EQ(plan_context(*model, {.n_ctx = 1000, .n_batch = 5}, kPlenty).n_logits, 5);
}

TEST_F(MemoryPlanTest, RefusesWhatCannotFitAndSaysWhatWould) {
  const LoadOptions options{.path = file.path(), .n_ctx = 2048, .n_threads = 1};
  const MemoryPlan memory = plan_context(*model, options, kPlenty).memory;
  EXPECT_EQ(refusal(*model, options, memory.total_bytes()), "accepted");

  const std::string context = refusal(*model, options, memory.total_bytes() - 1);
  EXPECT_THAT(context, testing::StartsWith(file.path() + ": needs "));
  EXPECT_THAT(context, HasSubstr("a context of 1792 tokens would fit"));
  EXPECT_EQ(context.find('\n'), std::string::npos);
  EXPECT_EQ(refusal(*model, {.n_ctx = 1792, .n_threads = 1}, memory.total_bytes() - 1), "accepted");

  EXPECT_THAT(refusal(*model, options, memory.weights_bytes), HasSubstr("a smaller model"));
}

TEST_F(MemoryPlanTest, EachOfSeveralAnswersHasAWholeContext) {
  const LoadOptions one{.n_ctx = 1000, .n_threads = 1};
  LoadOptions many = one;
  many.n_parallel = 20;
  const ContextPlan single = plan_context(*model, one, kPlenty);
  const ContextPlan plan = plan_context(*model, many, kPlenty);
  EXPECT_EQ(single.n_parallel, 1);
  EXPECT_EQ(plan.n_parallel, 20);
  EXPECT_EQ(plan.n_pages, 20 * 4 + CpuDecoder::kSparePages);
  EXPECT_EQ(plan.n_logits, 20);
  EXPECT_EQ(plan.max_in_flight(), single.max_in_flight());
  EXPECT_GT(plan.memory.kv_bytes, 10 * single.memory.kv_bytes);
  many.n_parallel = 0;
  EXPECT_THAT(refusal(*model, many, kPlenty), HasSubstr("0 answers at a time"));
}

TEST_F(MemoryPlanTest, OfSeveralAnswersAsManyAsThereIsMemoryFor) {
  LoadOptions options{.path = file.path(), .n_ctx = 1024, .n_threads = 1, .n_parallel = 8};
  const auto needed = [&](int n) {
    LoadOptions few = options;
    few.n_parallel = n;
    return plan_context(*model, few, kPlenty).memory.total_bytes();
  };
  const std::string refused = refusal(*model, options, needed(5));
  EXPECT_THAT(refused, HasSubstr("8 KV caches of 1024 tokens"));
  EXPECT_THAT(refused, HasSubstr("a context of 512 tokens would fit"));
  EXPECT_THAT(refusal(*model, options, needed(1)), HasSubstr("fewer answers at a time"));
  options.fewer = true;
  for (const int n : {8, 5, 2, 1})
    EXPECT_EQ(plan_context(*model, options, needed(n)).n_parallel, n);
  EXPECT_THAT(refusal(*model, options, needed(1) - 1), HasSubstr("KV cache of 1024 tokens"));
}

TEST_F(MemoryPlanTest, TheTinyModelFitsIntoThisMachine) {
  EXPECT_EQ(plan_context(*model, {}).n_ctx, 4096);
}

}  // namespace
}  // namespace confab::engine
