// SPDX-License-Identifier: MIT
#include "engine/run/context_plan.h"
#include "engine/run/local_chat_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "engine/cpu/cpu_decoder.h"
#include "engine/error.h"
#include "engine/model/model.h"
#include "engine/platform/memory.h"
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

TEST_F(MemoryPlanTest, ARecommendedContextTakesThePlaceOfTheUsualOne) {
  const auto recommended = [&](int n_ctx) {
    return plan_context(*model, {.recommended = {.n_ctx = n_ctx}}, kPlenty).n_ctx;
  };
  EXPECT_EQ(recommended(1024), 1024);
  EXPECT_EQ(recommended(100000), 4096);  // beyond the model's own
  const LoadOptions asked{.n_ctx = 2048, .recommended = {.n_ctx = 1024}};
  EXPECT_EQ(plan_context(*model, asked, kPlenty).n_ctx, 2048);
}

TEST_F(MemoryPlanTest, AContextBeyondTheModelsOwnIsRefused) {
  EXPECT_EQ(plan_context(*model, {.n_ctx = 4096}, kPlenty).n_ctx, 4096);
  EXPECT_THAT(refusal(*model, {.n_ctx = 4097}, kPlenty), HasSubstr("4097 tokens"));
  EXPECT_THAT(refusal(*model, {.n_ctx = 4097}, kPlenty), HasSubstr("4096"));
  EXPECT_THAT(refusal(*model, {.n_ctx = -1}, kPlenty), HasSubstr("allows 1 to 4096"));
}

TEST_F(MemoryPlanTest, RopeOptionsAllowMoreOnlyWhereItIsAskedFor) {
  const auto scaled = Model::load(file.path(), NextnHead::left_out, {.scale = 4.0F});
  EXPECT_EQ(plan_context(*scaled, {}, kPlenty).n_ctx, 8192);
  EXPECT_EQ(plan_context(*scaled, {.n_ctx = 16384}, kPlenty).n_ctx, 16384);
  EXPECT_THAT(refusal(*scaled, {.n_ctx = 16385}, kPlenty), HasSubstr("allows 1 to 16384"));
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
  EXPECT_EQ(memory.weights_bytes + model->weights.token_embd.n_bytes(),
            std::filesystem::file_size(file.path()))
      << "rows of the table are read as they are looked up";
  EXPECT_EQ(memory.spare_bytes, memory.kv_bytes / 3) << "for forks of the four";
  // 4 blocks of 256 tokens, 2 layers, one KV head of 32: K in F32, V in Q8_0; each block in whole
  // pages of 64 KiB.
  EXPECT_EQ(plan.n_pages, 4 + CpuDecoder::kSparePages);
  EXPECT_EQ(memory.kv_bytes, 6U * ((256 * 2 * (32 * 4 + 34) + 65535) / 65536 * 65536));
  EXPECT_EQ(plan.n_logits, 16);
  EXPECT_EQ(memory.scratch_bytes,
            Forward::scratch_bytes(*model, 2, {.n_batch = 512, .n_logits = 16}));
  EXPECT_EQ(memory.total_bytes(), memory.weights_bytes + memory.kv_bytes + memory.scratch_bytes);
}

// The shapes of Gemma 3 (Gemma Team 2025, arXiv:2503.19786, and the files' config.json): one layer
// of six sees everything.
TEST(WindowedPlanTest, Gemma3TakesAQuarterOfFullPagesAtMost) {
  struct Shape {
    int n_layer, n_head_kv, head_dim, window;
  };
  for (const auto& [n_layer, n_head_kv, head_dim, window] :
       {Shape{26, 1, 256, 512}, Shape{34, 4, 256, 1024}, Shape{48, 8, 256, 1024},
        Shape{62, 16, 128, 1024}}) {
    Hparams hp;
    for (int il = 0; il < n_layer; ++il) {
      hp.layers.push_back({.n_head = 2 * n_head_kv,
                           .n_head_kv = n_head_kv,
                           .head_dim_k = head_dim,
                           .head_dim_v = head_dim,
                           .window = il % 6 < 5 ? window : 0});
    }
    const KvLayout layout(hp, Dtype::Q8_0, Dtype::Q8_0);
    constexpr int kContext = 32768;
    const int n_pages = CpuDecoder::n_pages(kContext);
    const int n_whole = CpuDecoder::n_whole(layout, kContext, LoadOptions{}.n_batch, 1);
    const auto full = static_cast<double>(n_pages) * static_cast<double>(layout.block_bytes());
    const auto share = static_cast<double>(PagePool::bytes(layout, n_pages, n_whole)) / full;
    EXPECT_LE(share, 0.25) << n_layer;
    EXPECT_GE(share, 1.0 / 7) << n_layer << ": some layers see everything";
  }
}

TEST_F(MemoryPlanTest, PagesThatLayersWithAWindowLeaveBehindTakeLess) {
  auto windowed = Model::load(file.path());
  const MemoryPlan full = plan_context(*windowed, {.n_ctx = 4096, .n_batch = 64}, kPlenty).memory;
  const_cast<Hparams&>(windowed->hparams).layers[1].window = 256;
  const ContextPlan plan = plan_context(*windowed, {.n_ctx = 4096, .n_batch = 64}, kPlenty);
  EXPECT_EQ(plan.n_pages, 16 + CpuDecoder::kSparePages);
  EXPECT_EQ(plan.n_whole, 7 + CpuDecoder::kSparePages) << "of 256 - 1 + 1024 + 64 rows";
  const KvLayout layout(windowed->hparams, plan.type_k, plan.type_v);
  EXPECT_EQ(full.kv_bytes - plan.memory.kv_bytes, 9 * layout.windowed_bytes());
  EXPECT_GT(layout.windowed_bytes(), 0U);
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
  EXPECT_THAT(context, HasSubstr("with -c 1792 it takes "));
  EXPECT_EQ(context.find('\n'), std::string::npos);
  EXPECT_EQ(refusal(*model, {.n_ctx = 1792, .n_threads = 1}, memory.total_bytes() - 1), "accepted");

  EXPECT_THAT(refusal(*model, options, memory.weights_bytes), HasSubstr("use a smaller model"));
  EXPECT_THAT(refusal(*model, options, memory.total_bytes() - memory.weights_bytes / 2),
              HasSubstr(" of this model would fit whole; --force insists"));
}

TEST_F(MemoryPlanTest, ForceInsistsAndSaysWhy) {
  LoadOptions options{.n_ctx = 2048, .force = true, .n_threads = 1};
  const ContextPlan plan = plan_context(*model, options, 1000);
  EXPECT_EQ(plan.n_ctx, 2048);
  EXPECT_FALSE(plan.memory.fits());
  EXPECT_THAT(plan.notice, testing::StartsWith("needs "));
  EXPECT_EQ(plan.notice.find("--force"), std::string::npos);
  options.force = false;
  EXPECT_THAT(refusal(*model, options, 1000), testing::EndsWith("; --force insists"));
}

// Nobody asked for 4096 tokens, so fewer will do; but not silently.
TEST_F(MemoryPlanTest, AContextThatWasNotAskedForIsAsLongAsMemoryHolds) {
  const auto needed = [&](int n_ctx) {
    return plan_context(*model, {.n_ctx = n_ctx, .n_threads = 1}, kPlenty).memory.total_bytes();
  };
  const LoadOptions options{.n_threads = 1};
  const ContextPlan whole = plan_context(*model, options, needed(4096));
  EXPECT_EQ(whole.n_ctx, 4096);
  EXPECT_EQ(whole.notice, "");
  const ContextPlan less = plan_context(*model, options, needed(4096) - 1);
  EXPECT_EQ(less.n_ctx, 3584);
  EXPECT_TRUE(less.memory.fits());
  EXPECT_THAT(less.notice, testing::StartsWith("the context is 3584 tokens instead of 4096, "));
  EXPECT_EQ(less.notice.find('\n'), std::string::npos);
  EXPECT_EQ(plan_context(*model, options, needed(512)).n_ctx, 512);
  EXPECT_THAT(refusal(*model, options, needed(512) - 1), HasSubstr("KV cache of 4096 tokens"))
      << "a shorter one is of no use";
}

TEST_F(MemoryPlanTest, AContextThatWasAskedForIsNeverShortened) {
  const LoadOptions asked{.n_ctx = 2048, .n_threads = 1};
  const std::uint64_t needed = plan_context(*model, asked, kPlenty).memory.total_bytes();
  EXPECT_THAT(refusal(*model, asked, needed - 1), HasSubstr("KV cache of 2048 tokens"));
}

TEST_F(MemoryPlanTest, ADraftModelIsPartOfWhatMustFit) {
  const TinyModelFile draft_file({.seed = 7, .n_layer = 1, .n_ctx = 4096});
  const auto draft = Model::load(draft_file.path());
  const LoadOptions options{.n_threads = 1};
  const ContextPlan alone = plan_context(*model, options, kPlenty);
  const ContextPlan both = plan_context(*model, options, kPlenty, draft.get());
  EXPECT_EQ(both.memory.draft_bytes, plan_draft(*draft, both).memory.total_bytes());
  EXPECT_EQ(both.memory.total_bytes(), alone.memory.total_bytes() + both.memory.draft_bytes);
  const ContextPlan less =
      plan_context(*model, options, alone.memory.total_bytes() + 1, draft.get());
  EXPECT_LT(less.n_ctx, alone.n_ctx);
  EXPECT_TRUE(less.memory.fits());
}

TEST_F(MemoryPlanTest, OfAMixtureTheExpertsMayBeLargerThanMemory) {
  const TinyModelFile mixture_file({.n_ctx = 512, .n_expert = 16, .n_expert_used = 2});
  const auto mixture = Model::load(mixture_file.path());
  const LoadOptions options{.n_ctx = 512, .n_threads = 1};
  const MemoryPlan whole = plan_context(*mixture, options, kPlenty).memory;
  const std::uint64_t least = whole.resident_bytes() + whole.expert_token_bytes;
  const ContextPlan plan = plan_context(*mixture, options, least);
  EXPECT_FALSE(plan.memory.fits());
  EXPECT_TRUE(plan.memory.fits_but_for_experts());
  EXPECT_THAT(plan.notice, testing::StartsWith("larger than memory: "));
  EXPECT_THAT(refusal(*mixture, options, least - 1), HasSubstr("--force insists"));
  EXPECT_EQ(plan_context(*mixture, options, whole.total_bytes()).notice, "");
}

TEST_F(MemoryPlanTest, ALimitOfAControlGroupIsNamed) {
  try {
    plan_context(*model, {.n_ctx = 2048}, {1000, "the limit of control group /app"});
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("but only 1000 B is left by the limit of control group"));
  }
}

TEST(MemoryRoomTest, ALittleStaysFree) {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  EXPECT_EQ(memory_room({.estimate_bytes = 64 * kGiB}).bytes, 64 * kGiB - kGiB / 4);
  EXPECT_EQ(memory_room({.estimate_bytes = 3200}).bytes, 3100U);
  EXPECT_EQ(memory_room({.estimate_bytes = 64 * kGiB, .mapped_bytes = 60 * kGiB}).bytes,
            4 * kGiB - kGiB / 8);
  EXPECT_EQ(memory_room({}).bytes, platform::kUnknownBytes);
  const MemoryRoom room =
      memory_room({.estimate_bytes = kGiB, .group = platform::GroupLimit{"/app", kGiB / 2, 320}});
  EXPECT_EQ(room.bytes, 310U);
  EXPECT_EQ(room.limit, "the limit of control group /app");
  const MemoryRoom addresses = memory_room(
      {.estimate_bytes = kGiB, .address_space = platform::AddressLimit{kGiB / 2, 3200}});
  EXPECT_EQ(addresses.bytes, 3100U);
  EXPECT_EQ(addresses.limit, "the limit on this program's address space (ulimit -v)");
}

TEST_F(MemoryPlanTest, WhatTheModelBeforeGivesBackCanBeHad) {
  LoadOptions options{.n_ctx = 2048, .n_threads = 1};
  const std::uint64_t needed = plan_context(*model, options, kPlenty).memory.total_bytes();
  options.returned_bytes = 1000;
  EXPECT_EQ(refusal(*model, options, needed - 1000), "accepted");
  EXPECT_THAT(refusal(*model, options, needed - 1001), HasSubstr("--force insists"));
  EXPECT_EQ(plan_context(*model, options, platform::kUnknownBytes).memory.available_bytes,
            platform::kUnknownBytes);
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
  EXPECT_THAT(refused, HasSubstr("with -c 512 it takes "));
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
