// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_model.h"

#include <gtest/gtest.h>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/tiny_model.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

TEST(GpuModelTest, RefusesByNameWhatItCannotRun) {
  CONFAB_NEEDS_GPU();
  const TinyModelFile plain, mixture({.n_expert = 4}), recurrent({.architecture = "qwen35"});
  EXPECT_EQ(gpu_refusal(load_bare_model(plain.path()), Dtype::F32, Dtype::F32), "");
  Model experts = load_bare_model(mixture.path());
  EXPECT_EQ(gpu_refusal(experts, Dtype::F32, Dtype::F32), "");
  experts.weights.layers[0].experts.up[1].scale = 2;
  EXPECT_EQ(gpu_refusal(experts, Dtype::F32, Dtype::F32),
            "has experts whose matrices have scales of their own");
  EXPECT_EQ(gpu_refusal(load_bare_model(recurrent.path()), Dtype::F32, Dtype::F32),
            "has recurrent layers");
  const Model latent =
      load_bare_model(CONFAB_SOURCE_DIR "/tests/data/arch/deepseek2-lite/model.gguf");
  EXPECT_EQ(gpu_refusal(latent, Dtype::F32, Dtype::F32), "has latent attention");
  Model side = load_bare_model(plain.path());
  for (const Dtype dtype : {Dtype::MLX4, Dtype::MLX8, Dtype::E2M1, Dtype::F8_E4M3}) {
    side.weights.layers[0].attn_q.rows.dtype = dtype;
    EXPECT_EQ(gpu_refusal(side, Dtype::F32, Dtype::F32),
              "has weights of " + std::string(kernels::info(dtype).name) + ", their scales apart");
  }
  EXPECT_EQ(gpu_refusal(load_bare_model(plain.path()), Dtype::F32, Dtype::Q4_0),
            "would have a cache of Q4_0, where F32, F16 and Q8_0 can be");
}

}  // namespace
}  // namespace confab::engine
