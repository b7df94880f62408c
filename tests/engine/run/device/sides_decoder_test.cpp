// SPDX-License-Identifier: MIT
#include "engine/run/device/sides_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "engine/cache/prefix_cache.h"
#include "engine/run/device/fallback_decoder.h"
#include "kernels/vulkan/gpu.h"
#include "tests/engine/cache/hash_decoder.h"
#include "tests/engine/cache/memory_block_store.h"

namespace confab::engine {
namespace {

using kernels::vulkan::GpuError;

// One whose passes are seen, and that may be lost.
class WatchedDecoder final : public Decoder {
 public:
  explicit WatchedDecoder(std::unique_ptr<HashDecoder> own) : own_(std::move(own)) {}
  int n_ctx() const noexcept override { return own_->n_ctx(); }
  int n_batch() const noexcept override { return own_->n_batch(); }
  int n_logits() const noexcept override { return own_->n_logits(); }
  int n_layer() const noexcept override { return own_->n_layer(); }
  int n_free_pages() const noexcept override { return own_->n_free_pages(); }
  int n_parts() const noexcept override { return own_->n_parts(); }
  bool is_made_of_blocks() const noexcept override { return true; }
  std::unique_ptr<Sequence> make_sequence() override { return own_->make_sequence(); }
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) override {
    if (is_lost) throw GpuError(GpuError::Kind::lost, "the device is lost");
    const RunEnd end = own_->run(runs, go_on);
    ++n_passes;
    last.clear();
    for (const SequenceRun& run : runs) last.push_back(run.sequence);
    return end;
  }
  std::span<const float> logits(std::size_t i) const noexcept override { return own_->logits(i); }
  std::span<const float> hidden(std::size_t i) const noexcept override { return own_->hidden(i); }
  void give_back() override { own_->give_back(); }
  void replace(const WrittenBlock& written) override { own_->replace(written); }

  bool is_lost = false;
  int n_passes = 0;
  std::vector<const Sequence*> last = {};  // of the last pass

 private:
  std::unique_ptr<HashDecoder> own_;
};

constexpr int kNCtx = 8192;
constexpr std::size_t kRowBytes = 2 * 2 * 4 * sizeof(float);  // of a position

struct Rig {
  explicit Rig(int n_pages = 64, int window = 0, int n_of_writer = 64) {
    auto made_reader = make(n_pages, window), made_writer = make(n_of_writer, window);
    reader = made_reader.get();
    writer = made_writer.get();
    decoder = std::make_unique<SidesDecoder>(std::move(made_reader), std::move(made_writer));
  }
  static std::unique_ptr<WatchedDecoder> make(int n_pages, int window) {
    return std::make_unique<WatchedDecoder>(
        std::make_unique<HashDecoder>(kNCtx, n_pages, 2, window));
  }
  // Who has run them is whose rows are checked.
  void run(Sequence& sequence, std::span<const Token> ids, int window = 0) {
    const int before = reader->n_passes;
    const SequenceRun one{&sequence, ids, LogitsOf::none};
    ASSERT_EQ(decoder->run({&one, 1}, [](int) { return true; }), RunEnd::done);
    const WatchedDecoder& who = reader->n_passes > before ? *reader : *writer;
    ASSERT_TRUE(std::ranges::equal(who.last.at(0)->tokens(), sequence.tokens()));
    HashDecoder::check(*who.last.at(0), window);
  }
  // Positions, since it was asked last.
  std::int64_t n_handed_over() {
    const std::int64_t before = std::exchange(before_, decoder->handed_over().n_positions);
    return before_ - before;
  }

  std::unique_ptr<SidesDecoder> decoder;
  WatchedDecoder* reader;
  WatchedDecoder* writer;

 private:
  std::int64_t before_ = 0;
};

TEST(SidesDecoderTest, WhatOneLacksIsHandedOverAndNothingElse) {
  Rig rig;
  const auto sequence = rig.decoder->make_sequence();
  rig.run(*sequence, tokens(300));
  EXPECT_EQ(rig.reader->n_passes, 1);
  EXPECT_EQ(rig.n_handed_over(), 0);
  rig.run(*sequence, tokens(1, 7));
  EXPECT_EQ(rig.writer->n_passes, 1);
  EXPECT_EQ(rig.n_handed_over(), 300);
  EXPECT_EQ(rig.decoder->handed_over().n_bytes, (64 << 10) + 44 * kRowBytes) << "a block, and rows";
  for (int i = 0; i < 50; ++i) rig.run(*sequence, tokens(1, i));
  EXPECT_EQ(rig.n_handed_over(), 0) << "the answer goes on";
  rig.run(*sequence, tokens(40));
  EXPECT_EQ(rig.reader->n_passes, 2);
  EXPECT_EQ(rig.n_handed_over(), 351 - 256) << "from the start of the block that it has in part";
  rig.run(*sequence, tokens(200));
  EXPECT_EQ(rig.n_handed_over(), 0) << "the prompt goes on";
  rig.run(*sequence, tokens(3));
  EXPECT_EQ(rig.n_handed_over(), 591 - 256);
  EXPECT_EQ(sequence->truncate(400), 400);
  rig.run(*sequence, tokens(100));
  EXPECT_EQ(rig.n_handed_over(), 0) << "both have what was cut to";
  EXPECT_EQ(rig.reader->n_passes, 4);
}

TEST(SidesDecoderTest, AShortQuestionStaysWhereTheConversationIs) {
  Rig rig;
  const auto sequence = rig.decoder->make_sequence();
  constexpr int kMany = SidesDecoder::kFewestRows * SidesDecoder::kPositionsARow;
  while (sequence->n_tokens() <= kMany) {
    const auto ids = tokens(SidesDecoder::kFewestRows - 1);
    const SequenceRun run{sequence.get(), ids, LogitsOf::none};
    ASSERT_EQ(rig.decoder->run({&run, 1}, [](int) { return true; }), RunEnd::done);
  }
  const auto ids = tokens(SidesDecoder::kFewestRows);
  const SequenceRun run{sequence.get(), ids, LogitsOf::none};
  rig.decoder->run({&run, 1}, [](int) { return true; });
  EXPECT_EQ(rig.reader->n_passes, 0);
  EXPECT_EQ(rig.decoder->handed_over().n_positions, 0);
  rig.run(*sequence, tokens(2 * SidesDecoder::kFewestRows));
  EXPECT_EQ(rig.reader->n_passes, 1) << "a longer one is worth it";
}

TEST(SidesDecoderTest, ForksAndCutsShareWhatBothHave) {
  Rig rig;
  const auto a = rig.decoder->make_sequence();
  rig.run(*a, tokens(300));
  rig.run(*a, tokens(5, 50));
  const auto b = a->fork(303), c = a->fork(100);
  EXPECT_EQ(b->n_tokens(), 303);
  rig.run(*b, tokens(2, 90));  // of a page that a has, too
  rig.run(*a, tokens(2, 70));
  rig.run(*b, tokens(60, 90));
  rig.run(*a, tokens(60, 70));
  rig.run(*c, tokens(40, 11));
  rig.run(*c, tokens(1, 12));
  EXPECT_EQ(a->truncate(0), 0);
  rig.run(*a, tokens(33));
  rig.run(*b, tokens(1));
}

TEST(SidesDecoderTest, SequencesOfAPassAreHandedOverTogether) {
  Rig rig;
  const auto a = rig.decoder->make_sequence(), b = rig.decoder->make_sequence();
  rig.run(*a, tokens(40));
  rig.run(*a, tokens(1));
  rig.run(*b, tokens(20, 5));
  const auto one = tokens(1, 9), many = tokens(50, 3);
  const SequenceRun runs[] = {{a.get(), one, LogitsOf::none}, {b.get(), many, LogitsOf::none}};
  rig.n_handed_over();
  ASSERT_EQ(rig.decoder->run(runs, [](int) { return true; }), RunEnd::done);
  EXPECT_EQ(rig.n_handed_over(), 41 + 20);
  ASSERT_EQ(rig.reader->last.size(), 2U);
  for (const Sequence* sequence : rig.reader->last) HashDecoder::check(*sequence);
  EXPECT_EQ(a->n_tokens(), 42);
  EXPECT_EQ(b->n_tokens(), 70);
}

// What is spent on one side is garbage on the other: wherever a conversation is cut, no row is read
// that is not there.
TEST(SidesDecoderTest, LayersWithAWindowReadOnlyWhatIsThere) {
  constexpr int kWindow = 300;
  std::mt19937 rng(20250611);
  Rig rig(64, kWindow);
  std::unique_ptr<Sequence> sequence = rig.decoder->make_sequence();
  int n_cut = 0;
  for (int i = 0; i < 120 && !testing::Test::HasFatalFailure(); ++i) {
    const int n = sequence->n_tokens();
    const auto kind = rng() % 5;
    if (kind == 0 && n > 0) {
      const int to = n - static_cast<int>(rng() % static_cast<unsigned>(std::min(n, 1100)));
      const int n_left = sequence->n_left(to);
      EXPECT_LE(n_left, to);
      if (rng() % 2 == 0) {
        EXPECT_EQ(sequence->truncate(to), n_left);
      } else {
        sequence = sequence->fork(to);
        EXPECT_EQ(sequence->n_tokens(), n_left);
      }
      ++n_cut;
    } else if (n > 2600) {
      sequence = rig.decoder->make_sequence();
    } else {
      const int most = kind < 3 ? 31 : 500;
      for (int k = kind < 3 ? static_cast<int>(rng() % 40) : 0; k >= 0; --k) {
        const auto ids = tokens(1 + static_cast<int>(rng() % static_cast<unsigned>(most)), i);
        const SequenceRun run{sequence.get(), ids, LogitsOf::none};
        if (k > 0)
          ASSERT_EQ(rig.decoder->run({&run, 1}, [](int) { return true; }), RunEnd::done);
        else
          rig.run(*sequence, ids, kWindow);
      }
    }
  }
  EXPECT_GT(n_cut, 10);
  EXPECT_GT(rig.reader->n_passes, 10);
  EXPECT_GT(rig.writer->n_passes, 100);
}

// A cut into a block whose start reads rows that are spent: what the writer would be handed over
// again from there would be the reader's garbage.
TEST(SidesDecoderTest, ACutBehindWhatIsSpentGoesBackToWhatIsSure) {
  constexpr int kWindow = 600, kLong = 4951;
  Rig rig(64, kWindow);
  const auto sequence = rig.decoder->make_sequence();
  const auto write_to = [&](int n) {
    while (sequence->n_tokens() < n) {
      const auto ids = tokens(std::min(31, n - sequence->n_tokens()), sequence->n_tokens());
      const SequenceRun run{sequence.get(), ids, LogitsOf::none};
      ASSERT_EQ(rig.decoder->run({&run, 1}, [](int) { return true; }), RunEnd::done);
    }
  };
  write_to(kLong);
  const int n_sure = kLong - kWindowSlack + kBlockTokens;
  EXPECT_EQ(sequence->truncate(n_sure), n_sure);
  write_to(kLong);
  const int n_left = sequence->truncate(3950);
  EXPECT_EQ(sequence->n_tokens(), n_left);
  write_to(3950);
  rig.run(*sequence, tokens(64), kWindow);
  EXPECT_EQ(rig.reader->n_passes, 1);
  rig.run(*sequence, tokens(3), kWindow);
  sequence->truncate(3900);
  rig.run(*sequence, tokens(1), kWindow);
}

TEST(SidesDecoderTest, ABlockWithGarbageIsNotWhole) {
  constexpr int kWindow = 300;
  Rig rig(64, kWindow);
  const auto sequence = rig.decoder->make_sequence();
  rig.run(*sequence, tokens(600), kWindow);
  while (sequence->n_tokens() < 2300) rig.run(*sequence, tokens(31), kWindow);
  EXPECT_FALSE(sequence->is_whole(2)) << "the writer's is spent";
  EXPECT_TRUE(sequence->is_whole(8));
  rig.run(*sequence, tokens(100), kWindow);
  EXPECT_EQ(rig.reader->n_passes, 2);
  EXPECT_FALSE(sequence->is_whole(2)) << "the reader's is what the writer had left";
  EXPECT_TRUE(sequence->fork(2200)->is_whole(8));
}

TEST(SidesDecoderTest, BlocksAreKeptAndComeBackAsOne) {
  MemoryBlockStore store;
  const auto prompt = tokens(700);
  {
    Rig rig;
    PrefixCache cache(*rig.decoder, &store, "mixed");
    CachedSequence& cached = cache.begin(prompt, {});
    rig.run(*cached.sequence, std::span(prompt).first(300));
    cache.grown(cached, true);
    go_on(cache, cached, std::span(prompt).first(560));
    rig.run(*cached.sequence, std::span(prompt).subspan(560));
    cache.grown(cached, true);
    cache.end(cached);
    EXPECT_EQ(store.blocks.size(), 3U) << "each once: of the reader, of the writer, and a tail";
  }
  Rig rig;
  PrefixCache cache(*rig.decoder, &store, "mixed");
  CachedSequence& cached = cache.begin(prompt, {});
  EXPECT_EQ(cached.sequence->n_tokens(), 699);
  rig.run(*cached.sequence, tokens(1));
  EXPECT_EQ(rig.decoder->handed_over().n_positions, 0) << "the writer has them";
  rig.run(*cached.sequence, tokens(40));
  EXPECT_EQ(rig.reader->n_passes, 1);
  cache.end(cached);
}

TEST(SidesDecoderTest, WithoutPagesNothingChanges) {
  Rig rig(8, 0, 3);
  const auto a = rig.decoder->make_sequence();
  auto b = rig.decoder->make_sequence();
  rig.run(*b, tokens(20));
  rig.run(*a, tokens(600));
  EXPECT_EQ(rig.decoder->n_free_pages(), 2);
  const auto ids = tokens(20);
  const SequenceRun run{a.get(), ids, LogitsOf::none};
  EXPECT_THROW(rig.decoder->run({&run, 1}, [](int) { return true; }), OutOfPages);
  EXPECT_EQ(a->n_tokens(), 600);
  EXPECT_EQ(rig.n_handed_over(), 512);
  b.reset();
  rig.run(*a, ids);
  EXPECT_EQ(rig.n_handed_over(), 88) << "what was handed over before is there";
}

// Wherever it fails, as a reader or a writer: the processor in its place reads all again.
TEST(SidesDecoderTest, WhereTheDeviceFailsTheProcessorGoesOn) {
  for (const bool reads : {true, false}) {
    auto device = Rig::make(64, 0), beside = Rig::make(64, 0);
    WatchedDecoder& failing = *device;
    if (!reads) std::swap(device, beside);
    std::vector<std::string> failures;
    FallbackDecoder decoder(
        {.device = std::make_unique<SidesDecoder>(std::move(device), std::move(beside)),
         .make_device = {},
         .make_processor = [] { return std::make_unique<HashDecoder>(kNCtx, 64); },
         .on_failure = [&](const std::string& why) { failures.push_back(why); }});
    const auto sequence = decoder.make_sequence();
    const auto run = [&](std::span<const Token> ids) {
      const SequenceRun one{sequence.get(), ids, LogitsOf::none};
      return decoder.run({&one, 1}, [](int) { return true; });
    };
    const auto prompt = tokens(300), next = tokens(1), question = tokens(50);
    EXPECT_EQ(run(prompt), RunEnd::done);
    EXPECT_EQ(run(next), RunEnd::done);
    failing.is_lost = true;
    EXPECT_EQ(run(reads ? question : next), RunEnd::lost);
    EXPECT_EQ(failures, std::vector<std::string>{"the device is lost"});
    EXPECT_EQ(sequence->n_tokens(), 0);
    EXPECT_EQ(run(prompt), RunEnd::done);
    EXPECT_EQ(sequence->n_tokens(), 300);
  }
}

}  // namespace
}  // namespace confab::engine
