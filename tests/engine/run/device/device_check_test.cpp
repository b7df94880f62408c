// SPDX-License-Identifier: MIT
#include "engine/run/device/device_check.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <set>

#include "engine/cpu/cpu_decoder.h"
#include "kernels/isa.h"
#include "tests/engine/cache/hash_decoder.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

class DeviceCheckTest : public testing::Test {
 protected:
  static constexpr int kRows = 144;

  CpuDecoder decoder(const Model& model) {
    return CpuDecoder(model, kernels::choose_kernel_table({}), pool_,
                      {.n_ctx = kCheckPositions,
                       .n_pages = kCheckSequences + CpuDecoder::kSparePages,
                       .n_whole = kCheckSequences + CpuDecoder::kSparePages,
                       .forward = {.n_batch = kRows, .n_logits = kCheckSequences}});
  }

  kernels::ThreadPool pool_{1};
  const TinyModelFile file_{{}};
  const std::unique_ptr<const Model> model_ = Model::load(file_.path(), NextnHead::left_out, {});
};

TEST_F(DeviceCheckTest, TheSameDecoderIsRight) {
  CpuDecoder a = decoder(*model_), b = decoder(*model_);
  int n_passes = 0;
  EXPECT_EQ(compare_decoders(a, b, model_->hparams.n_vocab, kRows, [&] { ++n_passes; }), 0);
  EXPECT_GT(n_passes, 4);
  EXPECT_TRUE(DeviceCheck{}.is_right(false));
  DeviceCheck check;
  measure_speeds(a, b, model_->hparams.n_vocab, check);
  EXPECT_TRUE(check.has_speeds());
  EXPECT_GT(check.device_seconds, 0);
  EXPECT_LT(check.device_seconds, 10);
  EXPECT_GT(check.processor_seconds, 0);
  for (const double seconds : {check.device_prompt_seconds, check.processor_prompt_seconds}) {
    EXPECT_GT(seconds, 0);
    EXPECT_LT(seconds, 10);
  }
  EXPECT_FALSE(check.shares_weights) << "whoever made the device knows";
}

TEST_F(DeviceCheckTest, AShortContextAndPassesOfOneTokenWillDo) {
  for (const auto& [n_ctx, n_batch] : {std::pair{1, 1}, {5, 1}, {5, 20}, {64, 1}, {64, 64}}) {
    const CpuDecoder::Options options{.n_ctx = n_ctx, .forward = {.n_batch = n_batch}};
    const kernels::KernelTable& table = kernels::choose_kernel_table({});
    CpuDecoder a(*model_, table, pool_, options), b(*model_, table, pool_, options);
    DeviceCheck check;
    measure_speeds(a, b, model_->hparams.n_vocab, check);
    EXPECT_GT(check.device_seconds, 0) << n_ctx;
    EXPECT_EQ(check.device_prompt_seconds, 0) << "a prompt is too long";
    EXPECT_EQ(check.processor_prompt_seconds, 0);
  }
}

// Logits of some rows are not what they should be.
class WrongDecoder final : public Decoder {
 public:
  // Those of every n-th row that is asked for, from the n_right-th on.
  WrongDecoder(Decoder& right, int n, int n_right = 0, float wrong = 1)
      : right_(right), n_(n), n_right_(n_right), wrong_(wrong) {}
  int n_ctx() const noexcept override { return right_.n_ctx(); }
  int n_batch() const noexcept override { return right_.n_batch(); }
  int n_logits() const noexcept override { return right_.n_logits(); }
  int n_layer() const noexcept override { return right_.n_layer(); }
  int n_free_pages() const noexcept override { return right_.n_free_pages(); }
  int n_parts() const noexcept override { return right_.n_parts(); }
  bool is_made_of_blocks() const noexcept override { return true; }
  std::unique_ptr<Sequence> make_sequence() override { return right_.make_sequence(); }
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) override {
    const RunEnd end = right_.run(runs, go_on);
    rows_.clear();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      rows_.emplace_back(right_.logits(i).begin(), right_.logits(i).end());
      if (n_run_ >= n_right_ && n_run_ % n_ == 0)
        for (std::size_t k = 0; k < rows_[i].size(); k += 2) rows_[i][k] += wrong_;
      ++n_run_;
    }
    return end;
  }
  std::span<const float> logits(std::size_t i) const noexcept override { return rows_[i]; }
  std::span<const float> hidden(std::size_t i) const noexcept override { return right_.hidden(i); }
  void give_back() override {}
  void replace(const WrittenBlock&) override {}

 private:
  Decoder& right_;
  int n_, n_right_;
  float wrong_;
  int n_run_ = 0;
  std::vector<std::vector<float>> rows_;
};

TEST_F(DeviceCheckTest, WrongRowsOfOneKindOfPassAreFound) {
  const int n_vocab = model_->hparams.n_vocab;
  for (const int n_right : {0, 3, 12, 18}) {  // that of the last: only the best logits
    CpuDecoder processor = decoder(*model_), inner = decoder(*model_);
    WrongDecoder wrong(inner, 1, n_right);
    const double nmse = compare_decoders(wrong, processor, n_vocab, kRows);
    EXPECT_FALSE(DeviceCheck{.nmse = nmse}.is_right(false)) << n_right;
  }
}

TEST_F(DeviceCheckTest, WhatIsNotFiniteIsWrongAndCanBeRemembered) {
  CpuDecoder processor = decoder(*model_), inner = decoder(*model_);
  WrongDecoder wrong(inner, 1, 0, std::numeric_limits<float>::quiet_NaN());
  const DeviceCheck check{.nmse =
                              compare_decoders(wrong, processor, model_->hparams.n_vocab, kRows)};
  EXPECT_FALSE(check.is_right(false));
  const auto back = parse_check(check_text(check));
  ASSERT_TRUE(back) << "or weights would be copied at each start";
  EXPECT_FALSE(back->is_right(false));
}

// As where a router chooses other experts for a row, because of rounding.
TEST_F(DeviceCheckTest, OneRowOfThreeMayDiffer) {
  CpuDecoder processor = decoder(*model_), inner = decoder(*model_);
  WrongDecoder flips(inner, 3);
  EXPECT_EQ(compare_decoders(flips, processor, model_->hparams.n_vocab, kRows), 0);
}

TEST(DeviceCheckBoundTest, AMixtureMayChooseAnotherExpert) {
  EXPECT_FALSE(DeviceCheck{.nmse = 2.5e-2}.is_right(false));
  EXPECT_TRUE(DeviceCheck{.nmse = 2.5e-2}.is_right(true));
  EXPECT_FALSE(DeviceCheck{.nmse = 0.5}.is_right(true));
}

TEST(CheckRowsTest, BringChoicesInTheOrderOfTheirExperts) {
  EXPECT_EQ(check_rows(0, 0), 144);
  EXPECT_EQ(check_rows(8, 2), 144);
  EXPECT_GT(check_rows(256, 8) * 8, 8 * 256);
  EXPECT_LE(check_rows(512, 1) / kCheckSequences + 30, kCheckPositions);
}

TEST(DeviceCheckUseTest, EachRunsWhatItIsClearlyFasterAt) {
  using enum DeviceUse;
  struct Case {
    double device, processor, device_prompt, processor_prompt;
    DeviceUse together, alone;
  };
  const Case cases[] = {
      {1, 2, 1, 2, all, all},     {2, 1, 2, 1, none, none},         {2, 1, 1, 2, prompts, none},
      {1, 2, 2, 1, answers, all}, {1.1, 1, 1, 2, all, all},         {1, 1.1, 2, 1, none, none},
      {2, 1, 1, 1.1, none, none}, {1, 2, 1.1, 1, all, all},         {1.1, 1, 1, 1.1, none, none},
      {1, 1.1, 1.1, 1, all, all}, {1, 1.25, 1.25, 1, answers, all}, {2, 1, 0, 0, none, none},
      {1, 1.01, 0, 0, all, all},
  };
  for (const Case& c : cases) {
    DeviceCheck check{.device_seconds = c.device,
                      .processor_seconds = c.processor,
                      .device_prompt_seconds = c.device_prompt,
                      .processor_prompt_seconds = c.processor_prompt};
    const std::string what = check_text(check);
    EXPECT_EQ(check.best_use(true), c.alone) << what << ": weights of its own";
    check.shares_weights = true;
    EXPECT_EQ(check.best_use(true), c.together) << what;
    EXPECT_EQ(check.best_use(false), c.alone) << what << ": no room for both";
  }
}

TEST(DeviceCheckTextTest, SpeedsAreToldPerSecond) {
  EXPECT_EQ(speeds_text({.device_seconds = 0.004, .processor_seconds = 0.08}, "Foo 12"),
            "measured, Foo 12 writes 250 tokens a second, and the processor 12.5");
  EXPECT_NE(speeds_text({}, "Foo 12").find("1000000"), std::string::npos) << "no infinity";
  EXPECT_EQ(speeds_text({.device_seconds = 0.004,
                         .processor_seconds = 0.08,
                         .device_prompt_seconds = 0.0005,
                         .processor_prompt_seconds = 0.02},
                        "Foo 12"),
            "measured, Foo 12 reads 2000 and writes 250 tokens a second, and the processor 50.0 "
            "and 12.5");
}

TEST(DeviceCheckTextTest, AStoreCanRememberIt) {
  const auto back = parse_check(check_text({1.25e-5, true, 0.5, 0.25, 0.125, 2, true}));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->nmse, 1.25e-5);
  EXPECT_TRUE(back->without_cores);
  EXPECT_EQ(back->device_seconds, 0.5);
  EXPECT_EQ(back->processor_seconds, 0.25);
  EXPECT_EQ(back->device_prompt_seconds, 0.125);
  EXPECT_EQ(back->processor_prompt_seconds, 2);
  EXPECT_TRUE(back->shares_weights);
  EXPECT_TRUE(back->is_right(false));
  for (const char* text : {"", "v3", "1.25e-5 0.5 0.25", "v3 1 0 2 3 4 5", "v2 1 0 2 3 4 5 0",
                           "v3 a 0 2 3 4 5 0", "v3 -1 0 2 3 4 5 0"})
    EXPECT_FALSE(parse_check(text)) << text;
}

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
