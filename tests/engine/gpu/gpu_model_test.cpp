// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_model.h"

#include <gtest/gtest.h>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

TEST(GpuModelTest, RefusesByNameWhatItCannotRun) {
  const TinyModelFile plain, mixture({.n_expert = 4}), recurrent({.architecture = "qwen35"});
  EXPECT_EQ(gpu_refusal(load_bare_model(plain.path()), Dtype::F32, Dtype::F32), "");
  EXPECT_EQ(gpu_refusal(load_bare_model(mixture.path()), Dtype::F32, Dtype::F32),
            "is a mixture of experts");
  EXPECT_EQ(gpu_refusal(load_bare_model(recurrent.path()), Dtype::F32, Dtype::F32),
            "has recurrent layers");
  EXPECT_EQ(gpu_refusal(load_bare_model(plain.path()), Dtype::F32, Dtype::Q4_0),
            "would have a cache of Q4_0, where F32, F16 and Q8_0 can be");
}

}  // namespace
}  // namespace confab::engine
