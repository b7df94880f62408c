// SPDX-License-Identifier: MIT
#include "engine/run/device/device_check.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "engine/cpu/cpu_decoder.h"
#include "kernels/isa.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

class DeviceCheckTest : public testing::Test {
 protected:
  CpuDecoder decoder(const Model& model) {
    return CpuDecoder(model, kernels::choose_kernel_table({}), pool_,
                      {.n_ctx = 128, .forward = {.n_batch = kCheckTokens}});
  }

  kernels::ThreadPool pool_{1};
  const TinyModelFile file_{{}};
  const std::unique_ptr<const Model> model_ = Model::load(file_.path(), NextnHead::left_out, {});
};

TEST_F(DeviceCheckTest, TheSameDecoderIsRight) {
  CpuDecoder a = decoder(*model_), b = decoder(*model_);
  const DeviceCheck check = check_device(a, b, model_->hparams.n_vocab);
  EXPECT_EQ(check.nmse, 0);
  EXPECT_TRUE(check.is_right());
  EXPECT_GT(check.device_seconds, 0);
  EXPECT_LT(check.device_seconds, 10);
  EXPECT_GT(check.processor_seconds, 0);
  for (const double seconds : {check.device_prompt_seconds, check.processor_prompt_seconds}) {
    EXPECT_GT(seconds, 0);
    EXPECT_LT(seconds, 10);
  }
  EXPECT_FALSE(check.shares_weights) << "who made the device tells";
}

TEST_F(DeviceCheckTest, AShortContextAndPassesOfOneTokenWillDo) {
  for (const auto& [n_ctx, n_batch] : {std::pair{1, 1}, {5, 1}, {5, 20}, {64, 1}, {64, 64}}) {
    const CpuDecoder::Options options{.n_ctx = n_ctx, .forward = {.n_batch = n_batch}};
    const kernels::KernelTable& table = kernels::choose_kernel_table({});
    CpuDecoder a(*model_, table, pool_, options), b(*model_, table, pool_, options);
    const DeviceCheck check = check_device(a, b, model_->hparams.n_vocab);
    EXPECT_EQ(check.nmse, 0) << n_ctx;
    EXPECT_GT(check.device_seconds, 0);
    EXPECT_EQ(check.device_prompt_seconds, 0) << "a prompt is too long";
    EXPECT_EQ(check.processor_prompt_seconds, 0);
  }
}

// One whose logits are those of the token before.
class WrongDecoder final : public Decoder {
 public:
  explicit WrongDecoder(Decoder& right) : right_(right) {}
  int n_ctx() const noexcept override { return right_.n_ctx(); }
  int n_batch() const noexcept override { return right_.n_batch(); }
  int n_logits() const noexcept override { return right_.n_logits(); }
  int n_layer() const noexcept override { return right_.n_layer(); }
  int n_free_pages() const noexcept override { return right_.n_free_pages(); }
  bool can_stop() const noexcept override { return right_.can_stop(); }
  bool is_made_of_blocks() const noexcept override { return true; }
  std::unique_ptr<Sequence> make_sequence() override { return right_.make_sequence(); }
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) override {
    const std::vector<Token> wrong(runs[0].tokens.size(), 5);
    const SequenceRun run{runs[0].sequence, wrong, runs[0].logits};
    return right_.run({&run, 1}, go_on);
  }
  std::span<const float> logits(std::size_t i) const noexcept override { return right_.logits(i); }
  std::span<const float> hidden(std::size_t i) const noexcept override { return right_.hidden(i); }
  void give_back() override {}
  void replace(const WrittenBlock&) override {}

 private:
  Decoder& right_;
};

TEST_F(DeviceCheckTest, OneThatComputesSomethingElseIsWrong) {
  CpuDecoder processor = decoder(*model_), inner = decoder(*model_);
  WrongDecoder wrong(inner);
  EXPECT_FALSE(check_device(wrong, processor, model_->hparams.n_vocab).is_right());
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
  const auto back = parse_check(check_text({1.25e-5, 0.5, 0.25, 0.125, 2, true}));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->nmse, 1.25e-5);
  EXPECT_EQ(back->device_seconds, 0.5);
  EXPECT_EQ(back->processor_seconds, 0.25);
  EXPECT_EQ(back->device_prompt_seconds, 0.125);
  EXPECT_EQ(back->processor_prompt_seconds, 2);
  EXPECT_TRUE(back->shares_weights);
  EXPECT_TRUE(back->is_right());
  for (const char* text : {"", "v2", "1.25e-5 0.5 0.25", "v2 1 2 3 4 5", "v3 1 2 3 4 5 0",
                           "v2 a 2 3 4 5 0", "v2 -1 2 3 4 5 0"})
    EXPECT_FALSE(parse_check(text)) << text;
}

}  // namespace
}  // namespace confab::engine
