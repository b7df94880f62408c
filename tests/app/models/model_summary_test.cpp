// SPDX-License-Identifier: MIT
#include "app/models/fit_here.h"

#include <gtest/gtest.h>

#include "engine/gguf/gguf.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

using engine::Gguf;
using engine::tiny_model;

TEST(ModelSummaryTest, SaysWhatTheHeaderSays) {
  const engine::TinyModelFile file;
  const ModelSummary summary = summary_of(Gguf(file.path()));
  EXPECT_EQ(summary.title, "Tiny Test");
  EXPECT_EQ(summary.family, "llama");
  EXPECT_EQ(summary.type, "F32");
  EXPECT_EQ(summary.n_layers, 2);
  EXPECT_EQ(summary.n_ctx, 512);
  EXPECT_GT(summary.n_parameters, 0);
  EXPECT_TRUE(summary.has_template);
}

TEST(ModelSummaryTest, TheFileTypeIsNamedWhereItIsKnown) {
  const engine::TemporaryFolder folder;
  engine::GgufWriter writer = tiny_model();
  writer.add("general.file_type", 15U).write(folder / "a.gguf");
  EXPECT_EQ(summary_of(Gguf(folder / "a.gguf")).type, "Q4_K_M");
  writer = tiny_model();
  writer.add("general.file_type", 9999U).write(folder / "b.gguf");
  EXPECT_EQ(summary_of(Gguf(folder / "b.gguf")).type, "F32");
}

TEST(ModelSummaryTest, ParametersAreRounded) {
  EXPECT_EQ(parameters_text(0), "");
  EXPECT_EQ(parameters_text(46'300'000), "46M");
  EXPECT_EQ(parameters_text(999'600'000), "1.0B");
  EXPECT_EQ(parameters_text(7'615'000'000), "7.6B");
  EXPECT_EQ(parameters_text(99'960'000'000), "100B");
  EXPECT_EQ(parameters_text(405'000'000'000), "405B");
}

}  // namespace
}  // namespace confab::app
