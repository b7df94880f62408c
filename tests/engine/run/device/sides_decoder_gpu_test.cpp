// SPDX-License-Identifier: MIT
// The processor and whatever plays the graphics processor here, each of them as reader and writer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "engine/cpu/cpu_decoder.h"
#include "engine/gpu/gpu_decoder.h"
#include "engine/run/device/sides_decoder.h"
#include "kernels/isa.h"
#include "tests/engine/cache/memory_block_store.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden_cases.h"
#include "tests/engine/gpu/logits_of.h"
#include "tests/engine/tiny_model.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

enum class Device { reads, writes };

// A model on whatever plays the graphics processor here, and on the processor.
class Sides {
 public:
  Sides(const Model& model, Device device, int n_ctx, Dtype kv = Dtype::F32)
      : decoder(make(model, device, n_ctx, kv)) {}

 private:
  SidesDecoder make(const Model& model, Device device, int n_ctx, Dtype kv) {
    std::unique_ptr<Decoder> there =
        std::make_unique<GpuDecoder>(*kernels::vulkan::some_gpu(), model,
                                     GpuDecoder::Options{.n_ctx = n_ctx,
                                                         .n_pages = count_blocks(n_ctx) + 2,
                                                         .type_k = kv,
                                                         .type_v = kv,
                                                         .n_batch = 64,
                                                         .n_logits = 64},
                                     UploadOptions{.may_import = true});
    std::unique_ptr<Decoder> here = std::make_unique<CpuDecoder>(
        model, *kernels::kernel_table(kernels::Isa::scalar), pool_,
        CpuDecoder::Options{.n_ctx = n_ctx,
                            .type_k = kv,
                            .type_v = kv,
                            .forward = {.n_batch = 64, .exact = true, .n_logits = 64}});
    if (device == Device::writes) std::swap(here, there);
    return SidesDecoder(std::move(there), std::move(here));
  }
  kernels::ThreadPool pool_{1};

 public:
  SidesDecoder decoder;
};

// Up to the first token that rounding may change, by how far the prompt's logits are off.
void expect_greedy(SidesDecoder& decoder, std::span<const Token> prompt, const GoldenRun& run,
                   double nmse) {
  constexpr double kMargin = 6;
  const auto sequence = decoder.make_sequence();
  std::span<const Token> next = prompt;
  for (std::size_t i = 0; i < run.greedy_tokens.size(); ++i) {
    const SequenceRun pass{sequence.get(), next, LogitsOf::last_token};
    ASSERT_EQ(decoder.run({&pass, 1}, [](int) { return true; }), RunEnd::done);
    const std::span<const float> row = decoder.logits(0);
    const double square = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
    if (run.margins[i] < kMargin * std::sqrt(nmse * square / static_cast<double>(row.size())))
      return;
    ASSERT_EQ(std::ranges::max_element(row) - row.begin(), run.greedy_tokens[i]) << i;
    next = std::span(run.greedy_tokens).subspan(i, 1);
  }
}

// Of models whose rows differ: with windows and without, with sinks, with one head for all, of
// other sizes in each layer, and of mixtures.
TEST(SidesFidelityTest, MixedPassesMeetTheBar) {
  CONFAB_NEEDS_GPU();
  const std::set<std::string> names{"gemma3-pattern", "gemma4-moe",  "gpt-oss-other-sizes",
                                    "llama-mqa",      "phi3-window", "qwen2moe"};
  std::size_t n_cases = 0;
  for (const GoldenCase& golden : golden_cases()) {
    if (!names.contains(golden.name)) continue;
    SCOPED_TRACE(golden.name);
    const Model model = load_bare_model(golden.model());
    const std::vector<Token> prompt = golden.tokens();
    const GoldenRun run = golden.runs().front();
    Sides sides(model, ++n_cases % 2 == 0 ? Device::reads : Device::writes, run.n_ctx);
    const std::vector<float> got = logits_of(sides.decoder, prompt, {5, 32, 1});
    const double nmse = difference(std::span(got), std::span(run.logits)).nmse;
    EXPECT_LE(nmse, 5e-4);
    EXPECT_GT(sides.decoder.handed_over().n_positions, 0);
    expect_greedy(sides.decoder, prompt, run, nmse);
  }
  EXPECT_EQ(n_cases, names.size());
}

// A cache of bytes, whose rows are rotated the same way on both sides; some tokens are of blocks
// that were handed over, and of others that came from a store.
TEST(SidesGpuTest, ADeviceAndTheProcessorGoOnAfterEachOther) {
  CONFAB_NEEDS_GPU();
  const TinyModelFile file({.n_layer = 1, .n_ctx = 1024, .quantised = true});
  const Model model = load_bare_model(file.path());
  const std::vector<Token> ids = some_tokens(340, 5);
  const std::vector<float> want = run_model(model, ids, {.n_ctx = 1024, .kv = Dtype::Q8_0}, {64});
  for (const Device device : {Device::reads, Device::writes}) {
    Sides sides(model, device, 1024, Dtype::Q8_0);
    const auto last = [&](Sequence& sequence, const std::vector<int>& pieces) {
      for (std::size_t i = static_cast<std::size_t>(sequence.n_tokens()), k = 0; i < ids.size();) {
        const auto n =
            std::min(ids.size() - i, static_cast<std::size_t>(pieces[k++ % pieces.size()]));
        const SequenceRun run{&sequence, std::span(ids).subspan(i, n), LogitsOf::last_token};
        EXPECT_EQ(sides.decoder.run({&run, 1}, [](int) { return true; }), RunEnd::done);
        i += n;
      }
      const std::span<const float> row = sides.decoder.logits(0);
      return difference(row, std::span(want).last(row.size())).nmse;
    };
    const auto sequence = sides.decoder.make_sequence();
    EXPECT_LE(last(*sequence, {64, 3, 1}), 5e-4);
    const auto fork = sequence->fork(290);
    EXPECT_LE(last(*fork, {1, 40}), 5e-4);
    EXPECT_EQ(sequence->truncate(30), 30);
    EXPECT_LE(last(*sequence, {64}), 5e-4);

    const auto again = sides.decoder.make_sequence();
    const BlockPayload block = fork->block(0);
    const std::vector<std::byte> tail = fork->packed_rows(1, 44);
    const NamelessFile whole_file(block.bytes), tail_file(tail);
    NamelessBlock whole(whole_file, kBlockTokens, kBlockTokens), part(tail_file, 44, 40);
    ASSERT_TRUE(again->restore(whole, std::span(ids).first(kBlockTokens)));
    ASSERT_TRUE(again->restore(part, std::span(ids).subspan(kBlockTokens, 40)));
    EXPECT_LE(last(*again, {40, 2}), 5e-4);
    NamelessBlock wrong(tail_file, 43, 40);
    const auto other = sides.decoder.make_sequence();
    EXPECT_FALSE(other->restore(wrong, std::span(ids).first(40)));
    EXPECT_EQ(other->n_tokens(), 0);
  }
}

}  // namespace
}  // namespace confab::engine
