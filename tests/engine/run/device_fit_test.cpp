// SPDX-License-Identifier: MIT
#include "engine/run/device_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "engine/model/model.h"
#include "engine/run/context_plan.h"
#include "tests/engine/tiny_model.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using kernels::vulkan::GpuInfo;
using testing::HasSubstr;
using Kind = DeviceChoice::Kind;

const MemoryRoom kAll(std::numeric_limits<std::uint64_t>::max());

TEST(DeviceFitTest, WhatADeviceCannotDoIsToldInNumbers) {
  const TinyModelFile file({.quantised = true});
  const auto model = Model::load(file.path());
  const ContextPlan plan = plan_context(*model, {.path = file.path(), .n_ctx = 512}, kAll);
  GpuInfo gpu;
  gpu.memory_bytes = gpu.available_bytes = device_bytes(*model, plan, 2);
  gpu.most_at_once_bytes = std::uint64_t{1} << 30;
  EXPECT_GT(gpu.available_bytes, model->weights.n_bytes);
  EXPECT_EQ(device_refusal(gpu, *model, plan), "");
  EXPECT_EQ(layers_that_fit(gpu, *model, plan, 2), 2);
  --gpu.available_bytes;
  EXPECT_EQ(layers_that_fit(gpu, *model, plan, 2), 1);
  EXPECT_EQ(device_refusal(gpu, *model, plan), "");
  gpu.available_bytes = device_bytes(*model, plan, 1) - 1;
  EXPECT_EQ(layers_that_fit(gpu, *model, plan, 2), 0);
  EXPECT_THAT(device_refusal(gpu, *model, plan), HasSubstr("has too little memory"));
  gpu.lacks = "its driver has no shaderInt64";
  EXPECT_THAT(device_refusal(gpu, *model, plan), HasSubstr("shaderInt64"));
}

// Those of all experts lie together.
TEST(DeviceFitTest, AMatrixLargerThanADriverGivesAtOnceCannotRun) {
  constexpr std::uint64_t kExpert = 64 * 96 * sizeof(float);
  GpuInfo gpu;
  gpu.memory_bytes = gpu.available_bytes = std::uint64_t{1} << 30;
  for (const std::uint32_t n_expert : {0U, 16U}) {
    const TinyModelFile file({.n_expert = n_expert});
    const auto model = Model::load(file.path());
    const ContextPlan plan = plan_context(*model, {.path = file.path(), .n_ctx = 512}, kAll);
    gpu.most_at_once_bytes = n_expert == 0 ? model->weights.output.n_bytes() : n_expert * kExpert;
    EXPECT_EQ(device_refusal(gpu, *model, plan), "");
    --gpu.most_at_once_bytes;
    EXPECT_THAT(device_refusal(gpu, *model, plan),
                testing::AllOf(HasSubstr("has a matrix of"), HasSubstr("no more than")));
  }
}

// What a device takes beside the processor where both share the memory: all but the weights.
TEST(DeviceFitTest, BothFitWhereThereIsRoomForThePagesTwice) {
  const TinyModelFile file({.quantised = true});
  const auto model = Model::load(file.path());
  ContextPlan plan = plan_context(*model, {.path = file.path(), .n_ctx = 512}, kAll);
  EXPECT_TRUE(fits_beside(*model, plan));
  const std::uint64_t n_own = device_bytes(*model, plan, 2) - model->weights.n_bytes;
  EXPECT_GT(n_own, KvLayout(model->hparams, plan.type_k, plan.type_v).block_bytes() *
                       static_cast<std::uint64_t>(plan.n_pages));
  plan.memory.available_bytes = plan.memory.total_bytes() + n_own;
  EXPECT_TRUE(fits_beside(*model, plan));
  --plan.memory.available_bytes;
  EXPECT_FALSE(fits_beside(*model, plan));
  plan.memory.available_bytes = plan.memory.total_bytes() - 1;
  EXPECT_FALSE(fits_beside(*model, plan)) << "by force";
}

TEST(DeviceFitTest, OnlyTheDeviceThatIsNamedIsLookedAt) {
  CONFAB_NEEDS_GPU();
  const GpuInfo gpu = *kernels::vulkan::some_gpu();
  const TinyModelFile file({.n_layer = 3});
  const auto model = Model::load(file.path());
  const ContextPlan plan = plan_context(*model, {.path = file.path(), .n_ctx = 512}, kAll);
  const auto fits = fit_on_devices(*model, plan, {Kind::vulkan, gpu.index});
  ASSERT_EQ(fits.size(), 1U);
  EXPECT_EQ(fits[0].name, gpu.name);
  EXPECT_EQ(fits[0].refusal, "");
  EXPECT_EQ(fits[0].n_layers, 3);
  EXPECT_EQ(fits[0].bytes, device_bytes(*model, plan, 3));
  EXPECT_TRUE(fit_on_devices(*model, plan, {Kind::cpu}).empty());
  for (const DeviceFit& fit : fit_on_devices(*model, plan, {}))
    EXPECT_NE(fit.name, gpu.type == GpuInfo::Type::processor ? gpu.name : "");
}

}  // namespace
}  // namespace confab::engine
