// SPDX-License-Identifier: MIT
#include "engine/run/device/fallback_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cache/prefix_cache.h"
#include "engine/error.h"
#include "kernels/vulkan/gpu.h"
#include "tests/engine/cache/hash_decoder.h"

namespace confab::engine {
namespace {

using kernels::vulkan::GpuError;
using testing::HasSubstr;

// A device that is lost after so many passes.
class LosableDecoder final : public Decoder {
 public:
  explicit LosableDecoder(int n_passes) : n_left_(n_passes) {}
  int n_ctx() const noexcept override { return own_.n_ctx(); }
  int n_batch() const noexcept override { return own_.n_batch(); }
  int n_logits() const noexcept override { return own_.n_logits(); }
  int n_layer() const noexcept override { return own_.n_layer(); }
  int n_free_pages() const noexcept override { return own_.n_free_pages(); }
  int n_parts() const noexcept override { return 1; }
  bool is_made_of_blocks() const noexcept override { return true; }
  std::unique_ptr<Sequence> make_sequence() override { return own_.make_sequence(); }
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) override {
    if (n_left_-- <= 0) throw GpuError(GpuError::Kind::lost, "the device is lost");
    return own_.run(runs, go_on);
  }
  RunEnd trace(std::span<const SequenceRun> runs, std::vector<ProgramRun>& programs) override {
    const RunEnd end = Decoder::trace(runs, programs);
    programs.push_back({});
    return end;
  }
  std::span<const float> logits(std::size_t i) const noexcept override { return own_.logits(i); }
  std::span<const float> hidden(std::size_t i) const noexcept override { return own_.hidden(i); }
  void give_back() override { own_.give_back(); }
  void replace(const WrittenBlock& written) override { own_.replace(written); }

 private:
  HashDecoder own_{512, 8};
  int n_left_;
};

struct Rig {
  explicit Rig(int n_passes)
      : decoder(
            {.device = std::make_unique<LosableDecoder>(n_passes),
             .make_device = [this](const Decoder::Progress& progress) -> std::unique_ptr<Decoder> {
               if (progress) progress(1, 2);
               ++n_made;
               if (is_gone) throw GpuError(GpuError::Kind::out_of_memory, "taken meanwhile");
               return std::make_unique<LosableDecoder>(100);
             },
             .make_processor = [] { return std::make_unique<HashDecoder>(512, 8); },
             .on_failure = [this](const std::string& text) { failures.push_back(text); }}) {}
  RunEnd run(Sequence& sequence, std::span<const Token> ids) {
    const SequenceRun run{&sequence, ids, LogitsOf::none};
    return decoder.run({&run, 1}, [](int) { return true; });
  }
  std::vector<std::string> failures;
  int n_made = 0;
  bool is_gone = false;
  FallbackDecoder decoder;
};

TEST(FallbackDecoderTest, SequencesHaveTheTokensOfTheDevices) {
  Rig rig(100);
  const auto ids = tokens(40);
  const auto sequence = rig.decoder.make_sequence();
  EXPECT_EQ(rig.run(*sequence, ids), RunEnd::done);
  EXPECT_TRUE(std::ranges::equal(sequence->tokens(), ids));
  const auto fork = sequence->fork(30);
  EXPECT_EQ(fork->n_tokens(), 30);
  EXPECT_EQ(sequence->truncate(10), 10);
  EXPECT_EQ(sequence->n_tokens(), 10);
  EXPECT_EQ(fork->n_tokens(), 30);
  EXPECT_TRUE(rig.failures.empty());
}

TEST(FallbackDecoderTest, ALostDeviceCostsWhatWasComputedAndNothingElse) {
  Rig rig(1);
  const auto ids = tokens(40);
  const auto a = rig.decoder.make_sequence();
  ASSERT_EQ(rig.run(*a, ids), RunEnd::done);
  const auto b = a->fork(20);
  EXPECT_EQ(rig.run(*a, std::span(ids).first(1)), RunEnd::lost);
  EXPECT_EQ(a->n_tokens(), 0);
  EXPECT_EQ(b->n_tokens(), 0) << "one that was in no pass";
  ASSERT_EQ(rig.failures.size(), 1U);
  EXPECT_THAT(rig.failures[0], HasSubstr("the device is lost"));
  EXPECT_EQ(rig.run(*a, ids), RunEnd::done);
  EXPECT_EQ(a->n_tokens(), 40);
  EXPECT_EQ(rig.failures.size(), 1U);
  const auto fork = a->fork(40);
  EXPECT_EQ(fork->n_tokens(), 40);
}

TEST(FallbackDecoderTest, TheDevicesMemoryIsGivenBackAndTakenAgain) {
  Rig rig(100);
  const auto ids = tokens(40);
  auto sequence = rig.decoder.make_sequence();
  ASSERT_EQ(rig.run(*sequence, ids), RunEnd::done);
  rig.decoder.give_back();
  EXPECT_EQ(sequence->n_tokens(), 40) << "somebody has it";
  EXPECT_EQ(rig.n_made, 0);
  sequence.reset();
  const int n_pages = rig.decoder.n_free_pages();
  rig.decoder.give_back();
  rig.decoder.give_back();
  EXPECT_EQ(rig.n_made, 0);
  EXPECT_EQ(rig.decoder.n_free_pages(), n_pages);
  EXPECT_EQ(rig.decoder.n_ctx(), 512);
  EXPECT_FALSE(rig.decoder.can_stop());
  sequence = rig.decoder.make_sequence();
  EXPECT_EQ(rig.n_made, 1);
  EXPECT_EQ(rig.run(*sequence, ids), RunEnd::done);
  EXPECT_TRUE(rig.failures.empty());
}

TEST(FallbackDecoderTest, BringingItBackTellsHowFarItIsAndCanBeEnded) {
  struct Ended {};
  Rig rig(100);
  int n_told = 0;
  const auto count = [&](std::uint64_t, std::uint64_t) { ++n_told; };
  rig.decoder.bring_back(count);
  EXPECT_EQ(n_told, 0) << "it is there";
  rig.decoder.give_back();
  EXPECT_THROW(rig.decoder.bring_back([](std::uint64_t, std::uint64_t) { throw Ended(); }), Ended);
  EXPECT_EQ(rig.n_made, 0);
  rig.decoder.bring_back(count);
  EXPECT_EQ(n_told, 1);
  const auto sequence = rig.decoder.make_sequence();
  EXPECT_EQ(rig.n_made, 1);
  EXPECT_EQ(rig.run(*sequence, tokens(40)), RunEnd::done);
  EXPECT_TRUE(rig.failures.empty());
}

TEST(FallbackDecoderTest, TracesTheDevicesPassAndNoneOfTheProcessors) {
  Rig rig(1);
  const auto ids = tokens(40);
  const auto sequence = rig.decoder.make_sequence();
  const SequenceRun run{sequence.get(), ids, LogitsOf::none};
  std::vector<ProgramRun> programs;
  EXPECT_EQ(rig.decoder.trace({&run, 1}, programs), RunEnd::done);
  EXPECT_EQ(programs.size(), 1U);
  EXPECT_TRUE(std::ranges::equal(sequence->tokens(), ids));
  EXPECT_EQ(rig.decoder.trace({&run, 1}, programs), RunEnd::lost);
  EXPECT_TRUE(programs.empty());
  EXPECT_EQ(rig.decoder.trace({&run, 1}, programs), RunEnd::done);
  EXPECT_TRUE(programs.empty());
  EXPECT_EQ(sequence->n_tokens(), 40);
}

TEST(FallbackDecoderTest, WhereItIsTakenMeanwhileTheProcessorGoesOn) {
  Rig rig(100);
  rig.is_gone = true;
  rig.decoder.give_back();
  const auto ids = tokens(40);
  const auto sequence = rig.decoder.make_sequence();
  EXPECT_THAT(rig.failures, testing::ElementsAre("taken meanwhile"));
  EXPECT_EQ(rig.run(*sequence, ids), RunEnd::done);
  rig.decoder.give_back();
  EXPECT_EQ(sequence->n_tokens(), 40);
  EXPECT_EQ(rig.n_made, 1) << "it does not come back";
}

// As an answer does: the prompt is simply run again.
TEST(FallbackDecoderTest, APrefixCacheGoesOnAfterTheLoss) {
  Rig rig(2);
  PrefixCache cache(rig.decoder, nullptr);
  const auto prompt = tokens(50);
  CachedSequence& cached = cache.begin(prompt, {});
  RunEnd end = RunEnd::done;
  int n_lost = 0;
  while (cached.sequence->n_tokens() < 50) {
    const auto rest =
        std::span(prompt).subspan(static_cast<std::size_t>(cached.sequence->n_tokens()));
    const SequenceRun run{cached.sequence.get(), rest.first(10), LogitsOf::none};
    end = cache.run({&run, 1}, [](int) { return true; });
    n_lost += end == RunEnd::lost ? 1 : 0;
    if (end == RunEnd::done) cache.grown(cached, false);
  }
  EXPECT_EQ(n_lost, 1);
  EXPECT_TRUE(std::ranges::equal(cached.sequence->tokens(), prompt));
  cache.end(cached);
}

TEST(FallbackDecoderTest, WithoutAProcessorTheFaultIsTold) {
  FallbackDecoder decoder(
      {.device = std::make_unique<LosableDecoder>(0),
       .make_device = {},
       .make_processor = []() -> std::unique_ptr<Decoder> { throw ModelError("no memory"); },
       .on_failure = [](const std::string&) { FAIL(); }});
  const auto sequence = decoder.make_sequence();
  const auto ids = tokens(1);
  const SequenceRun run{sequence.get(), ids, LogitsOf::none};
  EXPECT_THROW(decoder.run({&run, 1}, [](int) { return true; }), ModelError);
}

}  // namespace
}  // namespace confab::engine
