// SPDX-License-Identifier: MIT
#include "kernels/quantize.h"

#include <cmath>
#include <limits>

#include "kernels/block.h"
#include "kernels/tables.h"
#include "tests/kernels/testing.h"

namespace confab::kernels {
namespace {

using QuantizeRow = void (*)(const float*, std::int64_t, std::byte*) noexcept;

struct KType {
  Dtype dtype;
  QuantizeRow quantize;
  double nmse;  // at most, of normally distributed weights: known for the number of bits
};
constexpr KType kTypes[] = {{Dtype::Q4_K, quantize_row_q4_k, 5e-3},
                            {Dtype::Q5_K, quantize_row_q5_k, 1.3e-3},
                            {Dtype::Q6_K, quantize_row_q6_k, 3.5e-4}};

class QuantizeKTest : public ::testing::TestWithParam<KType> {
 protected:
  static std::vector<float> there_and_back(const std::vector<float>& x) {
    const auto n = static_cast<std::int64_t>(x.size());
    std::vector<std::byte> row(row_bytes(GetParam().dtype, n) + 1, std::byte{77});
    GetParam().quantize(x.data(), n, row.data());
    EXPECT_EQ(row.back(), std::byte{77}) << "wrote past the end";
    std::vector<float> y(x.size());
    kScalarTable.decode_row(GetParam().dtype, row.data(), n, y.data());
    return y;
  }
};
std::string type_name(const ::testing::TestParamInfo<KType>& param) {
  return std::string(info(param.param.dtype).name);
}
INSTANTIATE_TEST_SUITE_P(Type, QuantizeKTest, ::testing::ValuesIn(kTypes), type_name);

TEST_P(QuantizeKTest, KeepsNormallyDistributedWeights) {
  std::mt19937 rng(71);
  const auto x = testing::random_floats(rng, 256 * 40, 0.05F);
  const auto y = there_and_back(x);
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    error += std::pow(static_cast<double>(y[i]) - static_cast<double>(x[i]), 2);
    norm += std::pow(static_cast<double>(x[i]), 2);
  }
  EXPECT_LE(error / norm, GetParam().nmse);
}

// Every weight of a block has a place of its own: one that stands out comes back where it was.
TEST_P(QuantizeKTest, PutsEachWeightInItsPlace) {
  for (std::size_t at = 0; at < 256; ++at) {
    std::vector<float> x(256, 0.0F);
    x[at] = at % 2 == 0 ? 1.0F : -1.0F;
    const auto y = there_and_back(x);
    for (std::size_t i = 0; i < 256; ++i) ASSERT_NEAR(y[i], x[i], 0.02) << at << " " << i;
  }
}

TEST_P(QuantizeKTest, AnOutlierSpoilsOnlyItsBlock) {
  std::mt19937 rng(72);
  auto x = testing::random_floats(rng, 512);
  const auto before = there_and_back(x);
  x[300] = 1000;
  const auto after = there_and_back(x);
  for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(after[i], before[i]);
  EXPECT_NEAR(after[300], 1000, 10);
}

TEST_P(QuantizeKTest, ZerosStayZero) {
  for (const float v : there_and_back(std::vector<float>(256, 0.0F))) ASSERT_EQ(v, 0);
  std::vector<float> half(256, 0.0F);
  std::mt19937 rng(73);
  const auto random = testing::random_floats(rng, 128);
  std::copy(random.begin(), random.end(), half.begin());
  const auto y = there_and_back(half);
  for (std::size_t i = 128; i < 256; ++i) ASSERT_EQ(y[i], 0) << i;
}

TEST_P(QuantizeKTest, ExtremesGiveFiniteWeights) {
  for (const float extreme : {1e30F, 3e38F, 1e-30F, 1e-38F, 1e-45F}) {
    std::vector<float> x(256, 0.0F);
    for (std::size_t i = 0; i < 256; i += 3) x[i] = i % 2 == 0 ? extreme : -extreme;
    for (const float v : there_and_back(x)) ASSERT_TRUE(std::isfinite(v)) << extreme;
  }
}

}  // namespace
}  // namespace confab::kernels
