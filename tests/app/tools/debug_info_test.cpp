// SPDX-License-Identifier: MIT
#include "app/tools/debug.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DebugInfoTest, ShowsMetadataTensorsAndMemory) {
  const engine::TinyModelFile model;
  DebugOptions options;
  options.model.path = model.path();
  std::ostringstream out;
  EXPECT_EQ(debug_info(options, out), 0);
  EXPECT_THAT(out.str(), HasSubstr("general.architecture = \"llama\""));
  EXPECT_THAT(out.str(), HasSubstr("tokenizer.ggml.tokens = ["));
  EXPECT_THAT(out.str(), HasSubstr("(300 items)"));
  EXPECT_THAT(out.str(), HasSubstr("blk.0.attn_q.weight"));
  EXPECT_THAT(out.str(), HasSubstr("KV cache (Q8_0/Q8_0)"));
  EXPECT_THAT(out.str(), HasSubstr("context of 512 tokens"));
  EXPECT_THAT(out.str(), Not(HasSubstr("experts:")));
  EXPECT_THAT(out.str(), Not(HasSubstr("\x1b")));
}

TEST(DebugInfoTest, CountsTheParametersOfTheExpertsUsed) {
  const engine::TinyModelFile model({.n_expert = 4});
  DebugOptions options;
  options.model.path = model.path();
  std::ostringstream out;
  EXPECT_EQ(debug_info(options, out), 0);
  // An expert has 3 x 64 x 96 weights, two of four rest in both layers: 73,728 of 211,264.
  EXPECT_THAT(out.str(), HasSubstr("experts: 4 per layer, 2 used per token (0.14 M of 0.21 M"));
}

TEST(DebugInfoTest, HonoursTheContextAskedFor) {
  const engine::TinyModelFile model;
  DebugOptions options;
  options.model.path = model.path();
  options.model.n_ctx = 128;
  options.model.type_k = kernels::Dtype::F16;
  std::ostringstream out;
  debug_info(options, out);
  EXPECT_THAT(out.str(), HasSubstr("context of 128 tokens"));
  EXPECT_THAT(out.str(), HasSubstr("KV cache (F16/Q8_0)"));
}

}  // namespace
}  // namespace confab::app
