// SPDX-License-Identifier: MIT
#include "app/tools/fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace confab::app {
namespace {

const ModelShape& shape(std::string_view size) {
  return *std::ranges::find(model_shapes(), size, &ModelShape::size);
}

std::uint64_t bytes(std::string_view size, std::string_view type) {
  return weights_bytes(shape(size), *engine::find_file_type(type));
}

TEST(ModelShapesTest, HaveTheParametersTheirMakersName) {
  const auto billions = [](std::string_view size) {
    return static_cast<double>(n_parameters(shape(size))) / 1e9;
  };
  EXPECT_NEAR(billions("3B"), 3.21, 0.01);
  EXPECT_NEAR(billions("8B"), 8.03, 0.01);
  EXPECT_NEAR(billions("14B"), 14.77, 0.01);
  EXPECT_NEAR(billions("30B-A3B"), 30.53, 0.01);
  EXPECT_NEAR(billions("32B"), 32.76, 0.01);
  EXPECT_NEAR(billions("70B"), 70.55, 0.01);
  EXPECT_NEAR(billions("405B"), 405.85, 0.1);
}

// The sizes of files that llama.cpp's quantising gave, which has the same mixes; without metadata
// of a few MB.
TEST(ModelShapesTest, FilesAreAsLargeAsThoseThatPeopleDownload) {
  const auto near = [](std::string_view size, std::string_view type, double gigabytes) {
    EXPECT_NEAR(static_cast<double>(bytes(size, type)) / 1e9, gigabytes, 0.015 * gigabytes)
        << size << ' ' << type;
  };
  near("3B", "Q4_K_M", 2.02);
  near("8B", "Q4_K_M", 4.92);
  near("8B", "Q5_K_M", 5.73);
  near("8B", "Q6_K", 6.60);
  near("8B", "Q8_0", 8.54);
  near("8B", "F16", 16.07);
  near("14B", "Q4_K_M", 8.99);
  near("32B", "Q4_K_M", 19.85);
  near("70B", "Q4_K_M", 42.52);
}

TEST(ModelShapesTest, ATokenReadsAllButTheTableOfEmbeddings) {
  const engine::FileType& f16 = *engine::find_file_type("F16");
  EXPECT_EQ(token_weight_bytes(shape("3B"), f16), weights_bytes(shape("3B"), f16)) << "tied";
  const std::uint64_t spared =
      weights_bytes(shape("8B"), f16) - token_weight_bytes(shape("8B"), f16);
  EXPECT_NEAR(static_cast<double>(spared), 2.0 * 4096 * 128256, 4 * 4096) << "but one row";
}

// 3.3 billion parameters a token, of which an embedding of 0.3 billion is looked up.
TEST(ModelShapesTest, OfAMixtureATokenReadsTheExpertsItUses) {
  const engine::FileType& f16 = *engine::find_file_type("F16");
  EXPECT_NEAR(static_cast<double>(token_weight_bytes(shape("30B-A3B"), f16)) / 2e9, 3.04, 0.03);
}

// 32 layers of 8 heads of 128 for K and V, 34 bytes for 32 values, 10 blocks of 256 tokens.
TEST(ModelShapesTest, TheCacheIsThatOfTheLayers) {
  EXPECT_EQ(kv_bytes(shape("8B"), 2048, kernels::Dtype::Q8_0),
            std::uint64_t{32} * 8 * 2 * 128 / 32 * 34 * 256 * 10);
  EXPECT_GT(scratch_bytes(shape("8B")), std::uint64_t{32} << 20);
  EXPECT_LT(scratch_bytes(shape("8B")), std::uint64_t{256} << 20);
}

}  // namespace
}  // namespace confab::app
