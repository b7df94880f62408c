// SPDX-License-Identifier: MIT
#include "app/tools/bench_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/error.h"
#include "tests/engine/tiny_model.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::app {
namespace {

class DeviceRunTest : public testing::Test {
 protected:
  DeviceRunTest() {
    options_.path = file_.path();
    options_.n_threads = 1;
    options_.n_ctx = 64;
  }
  const engine::TinyModelFile file_{{}};
  ModelOptions options_;
};

TEST_F(DeviceRunTest, TheProcessorIsNone) {
  options_.device.kind = engine::DeviceChoice::Kind::cpu;
  Inference inference(options_, false);
  EXPECT_EQ(DeviceRun::make(inference, options_, 1), nullptr);
}

TEST_F(DeviceRunTest, OneThatIsNotThereIsRefused) {
  Inference inference(options_, false);
  options_.device = {engine::DeviceChoice::Kind::vulkan, 63};
  EXPECT_THROW(DeviceRun::make(inference, options_, 1), engine::ModelError);
}

TEST_F(DeviceRunTest, RunsTokensInPiecesAndGoesBack) {
  CONFAB_NEEDS_GPU();
  const kernels::vulkan::GpuInfo usable = *kernels::vulkan::some_gpu();
  Inference inference(options_, false);
  options_.device = {engine::DeviceChoice::Kind::vulkan, usable.index};
  const auto device = DeviceRun::make(inference, options_, 2);
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->name(), usable.name);
  EXPECT_GE(device->decoder().n_logits(), 2);
  const std::vector<engine::Token> tokens{1, 2, 3, 4, 5};
  device->run(tokens, 2, engine::LogitsOf::last_token);
  const auto all = device->decoder().logits(0);
  const std::vector<float> whole(all.begin(), all.end());
  device->truncate(4);
  device->run(std::span(tokens).last(1), 1, engine::LogitsOf::last_token);
  EXPECT_TRUE(std::ranges::equal(whole, device->decoder().logits(0)));
}

}  // namespace
}  // namespace confab::app
