// SPDX-License-Identifier: MIT
// encode_row() of every type that a cache can have.
#include <array>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/block.h"
#include "kernels/dtype.h"
#include "kernels/tables.h"
#include "tests/kernels/testing.h"

namespace confab::kernels {
namespace {

// The types of a cache, or those of them that have blocks.
std::vector<Dtype> cache_types(bool quantised_only) {
  std::vector<Dtype> types;
  for (const CacheType& type : kCacheTypes) {
    if (!quantised_only || info(type.dtype).block > 1) types.push_back(type.dtype);
  }
  return types;
}
const std::vector<Dtype> kEncoded = cache_types(false), kQuantised = cache_types(true);

class EncodeTest : public testing::EveryTable {
 protected:
  std::vector<float> there_and_back(Dtype dtype, const std::vector<float>& x) const {
    const auto n = static_cast<std::int64_t>(x.size());
    std::vector<std::byte> row(row_bytes(dtype, n));
    std::vector<float> y(x.size());
    table().encode_row(dtype, x.data(), n, row.data());
    table().decode_row(dtype, row.data(), n, y.data());
    return y;
  }
};
INSTANTIATE_TEST_SUITE_P(Isa, EncodeTest, ::testing::ValuesIn(usable_kernel_tables()),
                         testing::table_name);

TEST_P(EncodeTest, BitsAreThoseOfScalarAtEveryLength) {
  std::mt19937 rng(12);
  for (const Dtype dtype : kEncoded) {
    const std::int64_t block = info(dtype).block;
    for (std::int64_t n = block; n <= (block == 1 ? 70 : 40 * block); n += block) {
      auto x = testing::random_floats(rng, static_cast<std::size_t>(n), 3);
      if (n >= 96) {
        std::fill(x.begin() + 32, x.begin() + 64, 0.0F);
        x[40] = -0.0F;
        for (std::size_t i = 64; i < 96; ++i) x[i] = std::fabs(x[i]);
        x[70] = 0;
      }
      std::vector<std::byte> want(row_bytes(dtype, n)), got(want.size() + 1, std::byte{99});
      kScalarTable.encode_row(dtype, x.data(), n, want.data());
      table().encode_row(dtype, x.data(), n, got.data());
      ASSERT_EQ(got.back(), std::byte{99}) << "wrote past the end";
      got.pop_back();
      ASSERT_EQ(got, want) << info(dtype).name << " " << n;
    }
  }
}

// The span of a block's numbers that lies between two codes.
float step(Dtype dtype, float low, float high) {
  const float far = std::max(-low, high);
  switch (dtype) {
    case Dtype::Q8_0:
      return far / 127;
    case Dtype::Q5_0:
      return far / 16;
    case Dtype::Q5_1:
      return (high - low) / 31;
    case Dtype::Q4_0:
      return far / 8;
    case Dtype::Q4_1:
      return (high - low) / 15;
    default:  // IQ4_NL: its values are at most 24 of 127 apart, and its scale moves
      return far * 24 / 113 * 1.2F;
  }
}

// All but the value farthest on the side with one code less, which may lose a whole step.
TEST_P(EncodeTest, ErrsByAboutHalfAStep) {
  std::mt19937 rng(15);
  for (const Dtype dtype : kQuantised) {
    for (int round = 0; round < 50; ++round) {
      auto x = testing::random_floats(rng, 32);
      for (float& v : x) v += 0.05F * static_cast<float>(round);
      const auto y = there_and_back(dtype, x);
      const auto [low, high] = std::minmax_element(x.begin(), x.end());
      const float one_step = step(dtype, *low, *high);
      for (std::size_t i = 0; i < 32; ++i) {
        const bool at_the_end =
            x[i] == *low || x[i] == *high || dtype == Dtype::Q4_0 || dtype == Dtype::Q5_0;
        ASSERT_NEAR(y[i], x[i], (at_the_end ? 1.01F : 0.51F) * one_step)
            << info(dtype).name << " " << i;
      }
    }
  }
}

TEST_P(EncodeTest, KeepsWhatItsCodesCanSay) {
  for (const Dtype dtype : {Dtype::Q4_0, Dtype::Q5_0, Dtype::Q4_1, Dtype::Q5_1, Dtype::Q8_0}) {
    std::vector<float> x(32);
    for (std::size_t i = 0; i < 32; ++i) x[i] = 0.25F * (static_cast<float>(i * 7 % 16) - 8);
    if (dtype == Dtype::Q8_0) x[5] = -127 * 0.25F;
    if (dtype == Dtype::Q5_0) x[5] = -16 * 0.25F;
    if (dtype == Dtype::Q5_1) x[5] = 23 * 0.25F;
    EXPECT_EQ(there_and_back(dtype, x), x) << info(dtype).name;
  }
}

TEST_P(EncodeTest, ExtremesDoNotOverflow) {
  for (const Dtype dtype : kQuantised) {
    std::vector<float> x(96, 0.0F);
    x[0] = 1e30F;
    x[1] = -1e30F;
    x[33] = 1e-30F;
    x[64] = -3e38F;
    x[65] = 3e38F;
    const auto y = there_and_back(dtype, x);
    for (std::size_t i = 0; i < 96; ++i) ASSERT_TRUE(std::isfinite(y[i])) << info(dtype).name;
    EXPECT_GE(y[0], 65504) << info(dtype).name;
    EXPECT_LE(y[1], -65504) << info(dtype).name;
    for (std::size_t i = 32; i < 64; ++i) EXPECT_EQ(y[i], 0) << info(dtype).name << " " << i;
  }
}

TEST_P(EncodeTest, ZerosStayZero) {
  for (const Dtype dtype : kEncoded)
    for (const float v : there_and_back(dtype, std::vector<float>(64, 0.0F)))
      ASSERT_EQ(v, 0) << info(dtype).name;
}

class EncodeFidelityTest : public EncodeTest {};
INSTANTIATE_TEST_SUITE_P(Isa, EncodeFidelityTest, ::testing::ValuesIn(usable_kernel_tables()),
                         testing::table_name);

TEST_P(EncodeFidelityTest, ErrorIsThatOfTheReferenceEncoder) {
  const auto folder = testing::fixtures() / "quant/types";
  if (!exists(folder)) GTEST_SKIP() << "no golden data in " << folder;
  const auto index = nlohmann::json::parse(std::ifstream(folder / "index.json"));
  for (const Dtype dtype : kEncoded) {
    if (dtype == Dtype::F32) continue;  // has no golden file and loses nothing
    std::string type(info(dtype).name);
    for (char& c : type) c = static_cast<char>(std::tolower(c));
    const auto entry = std::find_if(index.begin(), index.end(),
                                    [&](const auto& e) { return e.at("type") == type; });
    ASSERT_NE(entry, index.end()) << type;
    const auto x = testing::read_npy(folder / entry->at("src").get<std::string>());
    ASSERT_FALSE(x.empty());
    const auto y = there_and_back(dtype, x);
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      error += std::pow(static_cast<double>(y[i]) - static_cast<double>(x[i]), 2);
      norm += std::pow(static_cast<double>(x[i]), 2);
    }
    EXPECT_LE(error / norm, 1.02 * entry->at("nmse").get<double>()) << type;
    RecordProperty(type, std::to_string(error / norm / entry->at("nmse").get<double>()));
  }
}

}  // namespace
}  // namespace confab::kernels
