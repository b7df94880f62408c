// SPDX-License-Identifier: MIT
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/block.h"
#include "kernels/tables.h"
#include "tests/kernels/testing.h"

namespace confab::kernels {
namespace {

using testing::Misaligned;

std::string lower_name(Dtype dtype) {
  std::string s(info(dtype).name);
  for (char& c : s) c = static_cast<char>(std::tolower(c));
  return s;
}

class RowsTest : public testing::EveryTable {};
INSTANTIATE_TEST_SUITE_P(Isa, RowsTest, ::testing::ValuesIn(usable_kernel_tables()),
                         testing::table_name);

TEST_P(RowsTest, DecodesAsScalarAtEveryLengthAndAlignment) {
  std::mt19937 rng(11);
  for (const DtypeInfo* type : testing::all_dtypes()) {
    const Dtype dtype = type->dtype;
    const std::int64_t block = type->block;
    for (std::int64_t n = block; n <= (block == 1 ? 70 : 9 * block); n += block) {
      const auto bytes = testing::random_weights(rng, dtype, static_cast<std::size_t>(n));
      std::vector<float> want(static_cast<std::size_t>(n)), got(want.size() + 1, 77);
      kScalarTable.decode_row(dtype, bytes.data(), n, want.data());
      for (const std::size_t shift : {0, 1, 2, 31}) {
        Misaligned in(bytes.data(), bytes.size(), shift);
        table().decode_row(dtype, in.data(), n, got.data());
        for (std::size_t i = 0; i < want.size(); ++i)
          ASSERT_EQ(got[i], want[i]) << type->name << " " << n << " " << i;
        ASSERT_EQ(got.back(), 77) << "wrote past the end";
      }
    }
  }
}

TEST_P(RowsTest, EncodesAsScalarBitForBit) {
  std::mt19937 rng(12);
  for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::BF16, Dtype::Q8_0}) {
    const std::int64_t block = info(dtype).block;
    for (std::int64_t n = block; n <= (block == 1 ? 70 : 9 * block); n += block) {
      const auto x = testing::random_floats(rng, static_cast<std::size_t>(n), 3);
      std::vector<std::byte> want(row_bytes(dtype, n)), got(want.size() + 1, std::byte{99});
      kScalarTable.encode_row(dtype, x.data(), n, want.data());
      table().encode_row(dtype, x.data(), n, got.data());
      ASSERT_EQ(got.back(), std::byte{99}) << "wrote past the end";
      got.pop_back();
      ASSERT_EQ(got, want) << info(dtype).name << " " << n;
    }
  }
}

TEST_P(RowsTest, EncodesExtremesWithoutOverflow) {
  std::vector<float> x(64, 0.0F);
  x[0] = 1e30F;
  x[1] = -1e30F;
  x[33] = 1e-30F;
  std::vector<std::byte> row(row_bytes(Dtype::Q8_0, 64));
  std::vector<float> y(64);
  table().encode_row(Dtype::Q8_0, x.data(), 64, row.data());
  table().decode_row(Dtype::Q8_0, row.data(), 64, y.data());
  EXPECT_EQ(y[0], 127 * 65504.0F);
  EXPECT_EQ(y[1], -127 * 65504.0F);
  for (std::size_t i = 2; i < 64; ++i) EXPECT_EQ(y[i], 0) << i;
}

TEST_P(RowsTest, Q8_0ErrorMeetsTheReferenceEncoder) {
  const auto folder = testing::fixtures() / "quant/types";
  if (!exists(folder)) GTEST_SKIP() << "no golden data in " << folder;
  const auto index = nlohmann::json::parse(std::ifstream(folder / "index.json"));
  for (const Dtype dtype : {Dtype::F16, Dtype::BF16, Dtype::Q8_0}) {
    const auto entry = std::find_if(index.begin(), index.end(), [&](const auto& e) {
      return e.at("type") == lower_name(dtype);
    });
    ASSERT_NE(entry, index.end());
    const auto x = testing::read_npy(folder / entry->at("src").get<std::string>());
    const auto n = static_cast<std::int64_t>(x.size());
    std::vector<std::byte> row(row_bytes(dtype, n));
    std::vector<float> y(x.size());
    table().encode_row(dtype, x.data(), n, row.data());
    table().decode_row(dtype, row.data(), n, y.data());
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      error += std::pow(static_cast<double>(y[i]) - static_cast<double>(x[i]), 2);
      norm += std::pow(static_cast<double>(x[i]), 2);
    }
    EXPECT_LE(error / norm, 1.02 * entry->at("nmse").get<double>()) << info(dtype).name;
  }
}

TEST_P(RowsTest, PacksActivationsAsScalarBitForBit) {
  std::mt19937 rng(13);
  for (std::int64_t n = 32; n <= 32 * 9; n += 32) {
    auto x = testing::random_floats(rng, static_cast<std::size_t>(n));
    if (n >= 64) std::fill(x.begin() + 32, x.begin() + 64, 0.0F);
    for (const ActFormat format : {ActFormat::f32, ActFormat::q8}) {
      std::vector<std::byte> want(act_row_bytes(format, n)), got(want.size());
      kScalarTable.pack_row(format, x.data(), n, want.data());
      table().pack_row(format, x.data(), n, got.data());
      ASSERT_EQ(got, want) << n;
    }
  }
}

TEST_P(RowsTest, PackedActivationsAreWithinHalfAStep) {
  std::mt19937 rng(14);
  const auto x = testing::random_floats(rng, 256);
  std::vector<std::byte> row(act_row_bytes(ActFormat::q8, 256));
  table().pack_row(ActFormat::q8, x.data(), 256, row.data());
  for (int b = 0; b < 8; ++b) {
    const auto meta = load_as<Q8Meta>(row.data() + 256 + 16 * b);
    float sums[2] = {0, 0};
    for (int i = 0; i < 32; ++i) {
      const auto q = load_as<std::int8_t>(row.data() + 32 * b + i);
      sums[i / 16] += q;
      EXPECT_NEAR(meta.d * q, x[static_cast<std::size_t>(32 * b + i)], 0.501F * meta.d);
    }
    EXPECT_EQ(meta.sum_lo, sums[0]);
    EXPECT_EQ(meta.sum_hi, sums[1]);
    EXPECT_EQ(meta.sum, sums[0] + sums[1]);
  }
}

}  // namespace
}  // namespace confab::kernels
