// SPDX-License-Identifier: MIT
// A chat model on whatever plays the graphics processor here (Mesa's lavapipe will do).
#include "engine/run/decoder_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/error.h"
#include "engine/run/local_chat_model.h"
#include "tests/engine/cache/memory_block_store.h"
#include "tests/engine/run/chat_model_rig.h"
#include "tests/engine/tiny_model.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using namespace front;
using testing::AllOf;
using testing::HasSubstr;
using Kind = DeviceChoice::Kind;

DeviceChoice some_device() {
  return {Kind::vulkan, kernels::vulkan::some_gpu()->index};
}

std::string load_error(const LoadOptions& options) {
  try {
    load_chat_model(options);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "loaded";
}

class DecoderChoiceTest : public testing::Test {
 protected:
  LoadOptions options(DeviceChoice device = {}) const {
    return {.path = file.path(), .n_ctx = 512, .n_threads = 1, .device = device};
  }
  const TinyModelFile file{{.quantised = true}};
};

TEST_F(DecoderChoiceTest, ADeviceThatIsNotThereIsRefused) {
  EXPECT_THAT(load_error(options({Kind::vulkan, 63})),
              AllOf(HasSubstr("--device vulkan:63"), HasSubstr("--device cpu")));
}

TEST_F(DecoderChoiceTest, AModelThatADeviceCannotRunIsRefusedByName) {
  CONFAB_NEEDS_GPU();
  const TinyModelFile recurrent({.architecture = "qwen35"});
  LoadOptions there = options(some_device());
  there.path = recurrent.path();
  EXPECT_THAT(load_error(there), AllOf(HasSubstr("this model has recurrent layers"),
                                       HasSubstr("to run it on the processor: --device cpu")));
  there.device = {};
  EXPECT_EQ(load_error(there), "loaded");
}

TEST_F(DecoderChoiceTest, WithoutLayersThereIsNoDevice) {
  LoadOptions none = options({Kind::vulkan, 63});
  none.n_gpu_layers = 0;
  EXPECT_EQ(load_error(none), "loaded");
}

TEST_F(DecoderChoiceTest, SomeLayersRunOnTheDeviceAndResumeFromTheStore) {
  CONFAB_NEEDS_GPU();
  const auto here = load_chat_model(options({Kind::cpu}));
  const std::string question(300, 'x');
  here->generate(ask(question, 4));
  const Answer expected = collect(*here);
  MemoryBlockStore store;
  LoadOptions some = options(some_device());
  some.n_gpu_layers = 1;
  some.store = &store;
  auto model = load_chat_model(some);
  EXPECT_THAT(model->info().device, HasSubstr("(1 of 2 layers)"));
  EXPECT_EQ(model->info().notice, "");
  model->generate(ask(question, 4));
  const Answer answer = collect(*model);
  ASSERT_TRUE(answer.end) << answer.error;
  EXPECT_EQ(answer.end->tokens.front(), expected.end->tokens.front());

  model = load_chat_model(some);
  model->generate(ask(question, 4));
  const Answer again = collect(*model);
  ASSERT_TRUE(again.end) << again.error;
  EXPECT_GT(again.end->stats.n_cached, 256);
  EXPECT_EQ(again.end->tokens.front(), expected.end->tokens.front());

  some.n_gpu_layers = 2;
  model = load_chat_model(some);
  model->generate(ask(question, 1));
  EXPECT_EQ(collect(*model).end->stats.n_cached, 0) << "other layers, other blocks";
}

TEST_F(DecoderChoiceTest, SmallModelsAreNotWorthADevice) {
  const auto model = load_chat_model(options());
  EXPECT_EQ(model->info().device, "");
  EXPECT_EQ(model->info().notice, "");
  EXPECT_THAT(model->info().device_reason, HasSubstr("the model is small"));
}

TEST_F(DecoderChoiceTest, WhatIsAskedForNeedsNoReason) {
  EXPECT_EQ(load_chat_model(options({Kind::cpu}))->info().device_reason, "");
  CONFAB_NEEDS_GPU();
  EXPECT_EQ(load_chat_model(options(some_device()))->info().device_reason, "");
}

TEST_F(DecoderChoiceTest, WhatWasHopedForAndIsNotThereIsToldAndRemembered) {
  if (!kernels::vulkan::list_gpus().empty() &&
      kernels::vulkan::list_gpus().front().type != kernels::vulkan::GpuInfo::Type::processor)
    GTEST_SKIP() << "there is one";
  LoadOptions hoped = options();
  hoped.n_gpu_layers = 1;
  const auto model = load_chat_model(hoped);
  EXPECT_THAT(model->info().device_reason,
              testing::AnyOf(HasSubstr("there is no graphics processor"),
                             HasSubstr("is a software renderer, which runs on the processor too")));
  EXPECT_EQ(model->info().notice, "runs on the processor: " + model->info().device_reason);
}

TEST_F(DecoderChoiceTest, ADeviceAnswersAsTheProcessorAndResumesFromTheStore) {
  CONFAB_NEEDS_GPU();
  const auto here = load_chat_model(options({Kind::cpu}));
  const std::string question(200, 'x');
  here->generate(ask(question, 12));
  const Answer expected = collect(*here);
  ASSERT_TRUE(expected.end) << expected.error;
  EXPECT_EQ(here->info().device, "");

  MemoryBlockStore store;
  LoadOptions there = options(some_device());
  there.store = &store;
  auto model = load_chat_model(there);
  EXPECT_NE(model->info().device, "");
  model->generate(ask(question, 12));
  const Answer answer = collect(*model);
  ASSERT_TRUE(answer.end) << answer.error;
  EXPECT_EQ(answer.end->stats.n_cached, 0);
  ASSERT_FALSE(answer.end->tokens.empty());
  // The first token has a clear margin; noise may part them later.
  EXPECT_EQ(answer.end->tokens.front(), expected.end->tokens.front());

  model = load_chat_model(there);
  model->generate(ask(question, 12));
  const Answer again = collect(*model);
  ASSERT_TRUE(again.end) << again.error;
  EXPECT_GT(again.end->stats.n_cached, 128);
  EXPECT_EQ(again.end->tokens.front(), answer.end->tokens.front());

  LoadOptions cpu = options({Kind::cpu});
  cpu.store = &store;
  model = load_chat_model(cpu);
  model->generate(ask(question, 1));
  EXPECT_EQ(collect(*model).end->stats.n_cached, 0) << "a device's blocks are its own";
}

TEST_F(DecoderChoiceTest, LoadingTellsHowFarItIsAndEndsWhereItIsToldTo) {
  CONFAB_NEEDS_GPU();
  for (const int n_layers : {1, 2}) {
    LoadOptions there = options(some_device());
    there.n_gpu_layers = n_layers;
    std::uint64_t least = 0, last = 0, all = 0;
    int n_tested = 0;
    there.on_copied = [&](std::uint64_t n, std::uint64_t n_all) {
      EXPECT_GE(n, last);
      if (n == 0) ++n_tested;
      if (least == 0) least = n;
      last = n;
      all = n_all;
    };
    EXPECT_NE(load_chat_model(there)->info().device, "");
    EXPECT_LT(least, last);
    EXPECT_GT(n_tested, 3) << "a call for each pass that is compared";
    EXPECT_NEAR(static_cast<double>(last), static_cast<double>(all),
                0.02 * static_cast<double>(all));

    struct Enough {};
    for (const int n_most : {3, n_tested + 3}) {  // while passes are compared, and weights copied
      int n_told = 0;
      there.on_copied = [&](std::uint64_t, std::uint64_t) {
        if (++n_told == n_most) throw Enough();
      };
      EXPECT_THROW(load_chat_model(there), Enough) << n_layers;
      EXPECT_EQ(n_told, n_most);
    }
    there.on_copied = {};
    const auto model = load_chat_model(there);
    model->generate(ask("one", 4));
    EXPECT_TRUE(collect(*model).end) << "as if nothing had been";
  }
}

TEST_F(DecoderChoiceTest, ADeviceGivesItsMemoryBackAndAnswersAsBefore) {
  CONFAB_NEEDS_GPU();
  for (const int n_layers : {1, 2}) {
    LoadOptions there = options(some_device());
    there.n_gpu_layers = n_layers;
    const auto model = load_chat_model(there);
    const std::string device = model->info().device;
    model->generate(ask("one", 8));
    const Answer before = collect(*model);
    model->unload().wait();
    model->generate(ask("one", 8));
    const Answer after = collect(*model);
    ASSERT_TRUE(before.end && after.end) << before.error << after.error;
    EXPECT_EQ(after.end->stats.n_cached, 0);
    EXPECT_EQ(after.end->tokens, before.end->tokens);
    EXPECT_EQ(model->info().device, device);
  }
}

TEST_F(DecoderChoiceTest, ADeviceWritesSeveralAnswersAndIsCancelled) {
  CONFAB_NEEDS_GPU();
  LoadOptions two = options(some_device());
  two.n_parallel = 2;
  const auto model = load_chat_model(two);
  std::map<AnswerId, bool> ended;
  ended[model->generate(ask("one", 8))] = false;
  const AnswerId endless = model->generate(ask("two", 400));
  ended[endless] = false;
  bool cancelled = false;
  while (!std::ranges::all_of(ended, [](const auto& one) { return one.second; })) {
    const auto event = model->next_event();
    if (!event) continue;
    if (event->answer == endless && std::holds_alternative<TextDelta>(event->event))
      model->cancel(endless);
    if (const auto* failed = std::get_if<Failed>(&event->event)) FAIL() << failed->message;
    if (!is_end(event->event)) continue;
    ended[event->answer] = true;
    if (event->answer == endless)
      cancelled = std::get<Finished>(event->event).reason == FinishReason::cancelled;
  }
  EXPECT_TRUE(cancelled);
}

}  // namespace
}  // namespace confab::engine
