// SPDX-License-Identifier: MIT
#include <cmath>

#include "kernels/block.h"
#include "kernels/tables.h"
#include "tests/kernels/testing.h"

namespace confab::kernels {
namespace {

using testing::Misaligned;

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

TEST_P(RowsTest, PacksActivationsAsScalarBitForBit) {
  std::mt19937 rng(13);
  for (std::int64_t n = 32; n <= 32 * 9; n += 32) {
    auto x = testing::random_floats(rng, static_cast<std::size_t>(n));
    if (n >= 64) std::fill(x.begin() + 32, x.begin() + 64, 0.0F);
    for (const ActFormat format : {ActFormat::f32, ActFormat::q8, ActFormat::bf16}) {
      std::vector<std::byte> want(act_row_bytes(format, n)), got(want.size());
      kScalarTable.pack_row(format, x.data(), n, want.data());
      table().pack_row(format, x.data(), n, got.data());
      ASSERT_EQ(got, want) << n;
    }
  }
}

TEST_P(RowsTest, Bf16ActivationsAreRoundedAndEndInAZero) {
  std::mt19937 rng(15);
  auto x = testing::random_floats(rng, 99);
  x[1] = 1 + 0x1p-8F;      // halfway: to even, down
  x[2] = 1 + 3 * 0x1p-8F;  // up
  x[3] = -INFINITY;
  x[4] = NAN;
  x[5] = f32_from_bits(0x7fffffffU);  // a NaN whose low bits would carry
  x[6] = 0x1p-140F;
  x[7] = 3.4e38F;  // rounds to infinity
  for (std::int64_t n = 1; n <= 99; ++n) {
    std::vector<std::byte> row(act_row_bytes(ActFormat::bf16, n), std::byte{77});
    table().pack_row(ActFormat::bf16, x.data(), n, row.data());
    for (std::int64_t i = 0; i < n; ++i) {
      const auto got = load_as<std::uint16_t>(row.data() + 2 * i);
      ASSERT_EQ(got, f32_to_bf16(x[static_cast<std::size_t>(i)])) << n << " " << i;
    }
    if (n % 2 != 0) {
      ASSERT_EQ(load_as<std::uint16_t>(row.data() + 2 * n), 0) << n;
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
    int sums[2] = {0, 0};
    for (int i = 0; i < 32; ++i) {
      const auto q = load_as<std::int8_t>(row.data() + 32 * b + i);
      sums[i / 16] += q;
      EXPECT_NEAR(meta.d * q, x[static_cast<std::size_t>(32 * b + i)], 0.501F * meta.d);
    }
    EXPECT_EQ(meta.sum_lo, sums[0]);
    EXPECT_EQ(meta.sum, sums[0] + sums[1]);
    EXPECT_EQ(meta.d_sum, meta.d * static_cast<float>(meta.sum));
  }
}

}  // namespace
}  // namespace confab::kernels
