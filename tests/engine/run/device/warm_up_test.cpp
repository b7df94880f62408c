// SPDX-License-Identifier: MIT
#include "engine/run/device/warm_up.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/engine/cache/hash_decoder.h"

namespace confab::engine {
namespace {

// Which sizes of passes there have been.
class CountingDecoder final : public Decoder {
 public:
  explicit CountingDecoder(Decoder& own) : own_(own) {}
  int n_ctx() const noexcept override { return own_.n_ctx(); }
  int n_batch() const noexcept override { return own_.n_batch(); }
  int n_logits() const noexcept override { return own_.n_logits(); }
  int n_layer() const noexcept override { return own_.n_layer(); }
  int n_free_pages() const noexcept override { return own_.n_free_pages(); }
  int n_parts() const noexcept override { return own_.n_parts(); }
  bool is_made_of_blocks() const noexcept override { return true; }
  std::unique_ptr<Sequence> make_sequence() override { return own_.make_sequence(); }
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) override {
    sizes.insert(runs[0].tokens.size());
    return own_.run(runs, go_on);
  }
  std::span<const float> logits(std::size_t i) const noexcept override { return own_.logits(i); }
  std::span<const float> hidden(std::size_t i) const noexcept override { return own_.hidden(i); }
  void give_back() override {}
  void replace(const WrittenBlock&) override {}
  std::set<std::size_t> sizes;

 private:
  Decoder& own_;
};

TEST(WarmUpTest, RunsPassesOfEachSizeAndLeavesNothing) {
  HashDecoder own(64, 4);
  const int n_free = own.n_free_pages();
  CountingDecoder decoder(own);
  warm_up(decoder, 100);
  EXPECT_TRUE(decoder.sizes.contains(1));
  EXPECT_TRUE(decoder.sizes.contains(
      static_cast<std::size_t>(std::min(decoder.n_batch(), decoder.n_ctx()))));
  EXPECT_EQ(own.n_free_pages(), n_free);
}

TEST(WarmUpTest, CanBeEnded) {
  HashDecoder decoder(64, 4);
  const int n_free = decoder.n_free_pages();
  struct Ended {};
  int n = 0;
  EXPECT_THROW(warm_up(decoder, 100,
                       [&n] {
                         if (++n == 3) throw Ended();
                       }),
               Ended);
  EXPECT_EQ(decoder.n_free_pages(), n_free);
}

}  // namespace
}  // namespace confab::engine
