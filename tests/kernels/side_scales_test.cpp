// SPDX-License-Identifier: MIT
#include "kernels/side_scales.h"

#include <array>
#include <cmath>

#include "kernels/tables.h"
#include "tests/kernels/side_problem.h"

namespace confab::kernels {
namespace {

using testing::Misaligned;
using testing::SideProblem;

class SideScalesTest : public testing::EveryTable {};
INSTANTIATE_TEST_SUITE_P(Isa, SideScalesTest, ::testing::ValuesIn(usable_kernel_tables()),
                         testing::table_name);

std::vector<float> row_of(const KernelTable& table, const WeightRows& w, std::int64_t row) {
  std::vector<float> values(static_cast<std::size_t>(w.n_cols));
  table.decode_weights(w, row, values.data());
  return values;
}

// Two rows of 32 with a scale and a bias each, by hand.
WeightRows by_hand(Dtype dtype, const std::byte* codes, const float* scales, const float* biases) {
  const auto bytes = [](const float* p) { return reinterpret_cast<const std::byte*>(p); };
  return {dtype,
          codes,
          32,
          row_bytes(dtype, 32),
          {.scales = bytes(scales),
           .biases = biases == nullptr ? nullptr : bytes(biases),
           .group_cols = 32,
           .n_per_row = 1}};
}

TEST_P(SideScalesTest, TheFirstCodeOfMlxIsInTheLowestBits) {
  std::array<std::byte, 32> four{}, eight{};
  for (unsigned i = 0; i < 16; ++i) {
    four[i] = static_cast<std::byte>(2 * i % 16 | (2 * i + 1) % 16 << 4);  // 0 to 15, twice
    eight[2 * i] = static_cast<std::byte>(i);
    eight[2 * i + 1] = static_cast<std::byte>(255 - i);
  }
  const float scale = 0.5F, bias = -3;
  const std::vector<float> of_four =
                               row_of(table(), by_hand(Dtype::MLX4, four.data(), &scale, &bias), 0),
                           of_eight = row_of(table(),
                                             by_hand(Dtype::MLX8, eight.data(), &scale, &bias), 0);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(of_four[i], 0.5F * static_cast<float>(i % 16) - 3) << i;
    const std::size_t code = i % 2 == 0 ? i / 2 : 255 - i / 2;
    EXPECT_EQ(of_eight[i], 0.5F * static_cast<float>(code) - 3) << i;
  }
}

// Numbers of the specification's table: 1, the largest, the smallest normal and subnormal ones.
TEST_P(SideScalesTest, CodesOfEightBitFloatsAreThoseOfTheSpecification) {
  const std::pair<int, float> known[] = {{0x00, 0},       {0x01, 0x1p-9F},  {0x07, 7 * 0x1p-9F},
                                         {0x08, 0x1p-6F}, {0x38, 1},        {0x3c, 1.5F},
                                         {0x7e, 448},     {0x7f, 480},      {0xff, -480},
                                         {0xb8, -1},      {0x81, -0x1p-9F}, {0xfe, -448}};
  std::array<std::byte, 32> codes{};
  for (std::size_t i = 0; i < std::size(known); ++i)
    codes[i] = static_cast<std::byte>(known[i].first);
  const float scale = 3;
  const std::vector<float> row =
      row_of(table(), by_hand(Dtype::F8_E4M3, codes.data(), &scale, nullptr), 0);
  for (std::size_t i = 0; i < std::size(known); ++i)
    EXPECT_EQ(row[i], 3 * known[i].second) << known[i].first;
}

// All sixteen of the specification's table, by scales of 2^-127, the least, and 2^3.
TEST_P(SideScalesTest, CodesOfFourBitFloatsAreThoseOfTheSpecification) {
  constexpr float kNumbers[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
  std::array<std::byte, 16> codes{};
  for (unsigned i = 0; i < 16; ++i)
    codes[i] = static_cast<std::byte>(2 * i % 16 | (2 * i + 1) % 16 << 4);  // 0 to 15, twice
  for (const unsigned exponent : {0U, 130U}) {
    const auto scale = static_cast<std::byte>(exponent);
    const WeightRows w{Dtype::E2M1,
                       codes.data(),
                       32,
                       row_bytes(Dtype::E2M1, 32),
                       {.scales = &scale, .dtype = Dtype::E8M0, .group_cols = 32, .n_per_row = 1}};
    const std::vector<float> row = row_of(table(), w, 0);
    for (std::size_t i = 0; i < 32; ++i) {
      const float magnitude = std::ldexp(kNumbers[i % 8], static_cast<int>(exponent) - 127);
      EXPECT_EQ(row[i], i % 16 < 8 ? magnitude : -magnitude) << i;
    }
  }
}

template <typename Call>
void for_each_fp4_problem(std::mt19937& rng, Call call) {
  for (const std::int64_t n : {32, 64, 5 * 32, 67 * 32})
    call(SideProblem(rng, Dtype::E2M1, 5, n, {1, 32}, Dtype::E8M0));
}

// call(problem) for shapes whose groups end anywhere.
template <typename Call>
void for_each_problem(std::mt19937& rng, Call call) {
  for_each_fp4_problem(rng, call);
  for (const Dtype dtype : testing::kSideTypes) {
    for (const Dtype numbers : {Dtype::F32, Dtype::F16, Dtype::BF16}) {
      for (const std::int64_t group : {32, 64, 128}) {
        for (const std::int64_t n : {group, 5 * group, 17 * group})
          call(SideProblem(rng, dtype, 5, n, {1, group}, numbers));
      }
      if (dtype != Dtype::F8_E4M3) continue;
      for (const std::int64_t n : {1, 7, 31, 33, 127, 129, 300, 1100}) {
        call(SideProblem(rng, dtype, 5, n, {3, 128}, numbers));
        call(SideProblem(rng, dtype, 5, n, {1, n}, numbers));
        call(SideProblem(rng, dtype, 5, n, {5, n}, numbers));
      }
    }
  }
}

// The definition once more, in the plainest words.
float weight_at(const WeightRows& w, std::int64_t row, std::int64_t c) {
  const auto byte_at = [&](std::int64_t i) {
    return std::to_integer<unsigned>(w.data[static_cast<std::int64_t>(w.row_bytes) * row + i]);
  };
  const auto number = [&](const std::byte* numbers) {
    const std::int64_t i = row / w.side.group_rows * w.side.n_per_row + c / w.side.group_cols;
    if (w.side.dtype == Dtype::F32) return load_as<float>(numbers + 4 * i);
    if (w.side.dtype == Dtype::E8M0)
      return std::ldexp(1.0F, std::to_integer<int>(numbers[i]) - 127);
    const auto bits = load_as<std::uint16_t>(numbers + 2 * i);
    return w.side.dtype == Dtype::F16 ? f16_to_f32(bits) : bf16_to_f32(bits);
  };
  const auto of_e4m3 = [](unsigned code) {
    const int exponent = static_cast<int>(code >> 3 & 15U), fraction = static_cast<int>(code & 7U);
    const double value =
        exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
    return code > 127 ? -value : value;
  };
  const unsigned half = byte_at(c / 2) >> (c % 2 == 0 ? 0U : 4U) & 15U;
  const auto of_e2m1 = [](unsigned code) {
    const int exponent = static_cast<int>(code >> 1 & 3U), fraction = static_cast<int>(code & 1U);
    const double value = exponent == 0 ? 0.5 * fraction : std::ldexp(2 + fraction, exponent - 2);
    return code > 7 ? -value : value;
  };
  const double code = w.dtype == Dtype::MLX4   ? half
                      : w.dtype == Dtype::E2M1 ? of_e2m1(half)
                      : w.dtype == Dtype::MLX8 ? byte_at(c)
                                               : of_e4m3(byte_at(c));
  const double bias = w.side.biases == nullptr ? 0.0 : double{number(w.side.biases)};
  return static_cast<float>(code * double{number(w.side.scales)} + bias);
}

TEST_P(SideScalesTest, RowsAreScaleTimesCodePlusBias) {
  std::mt19937 rng(31);
  for_each_problem(rng, [&](const SideProblem& p) {
    for (std::int64_t row = 0; row < 5; ++row) {
      const std::vector<float> got = row_of(table(), p.w, row);
      for (std::int64_t c = 0; c < p.w.n_cols; ++c)
        ASSERT_EQ(got[static_cast<std::size_t>(c)], weight_at(p.w, row, c))
            << info(p.w.dtype).name << " row " << row << " column " << c;
    }
  });
}

TEST_P(SideScalesTest, AnyAlignment) {
  std::mt19937 rng(32);
  for_each_problem(rng, [&](const SideProblem& p) {
    const std::vector<float> want = row_of(table(), p.w, 4);
    Misaligned codes(p.codes.data(), p.codes.size(), 1),
        scales(p.scales.data(), p.scales.size(), 3), biases(p.biases.data(), p.biases.size(), 5);
    WeightRows w = p.w;
    w.data = codes.data();
    w.side.scales = scales.data();
    if (w.side.biases != nullptr) w.side.biases = biases.data();
    ASSERT_EQ(row_of(table(), w, 4), want) << info(w.dtype).name << " " << w.n_cols;
  });
}

// Bit for bit what the same weights as f32 give, for any tokens and any range of rows.
TEST_P(SideScalesTest, ProductsAreThoseOfTheSameWeightsInFloats) {
  std::mt19937 rng(33);
  const int n_tokens = 13;
  for_each_problem(rng, [&](const SideProblem& p) {
    const std::int64_t n = p.w.n_cols;
    std::vector<float> weights;
    for (std::int64_t row = 0; row < 5; ++row)
      std::ranges::copy(row_of(kScalarTable, p.w, row), std::back_inserter(weights));
    const auto x = testing::random_floats(rng, static_cast<std::size_t>(n_tokens * n));
    const WeightRows floats{Dtype::F32, reinterpret_cast<const std::byte*>(weights.data()), n,
                            row_bytes(Dtype::F32, n)};
    for (const int tokens : {1, 3, n_tokens}) {
      const Activations acts{ActFormat::f32, reinterpret_cast<const std::byte*>(x.data()), tokens,
                             act_row_bytes(ActFormat::f32, n)};
      std::vector<float> want(static_cast<std::size_t>(3 * tokens)), got(want.size());
      table().matmul(floats, 2, 3, acts, want.data(), 3);
      table().matmul(p.w, 2, 3, acts, got.data(), 3);
      ASSERT_EQ(got, want) << info(p.w.dtype).name << " " << n << " tokens " << tokens;
    }
  });
}

TEST(SideScalesBytesTest, AreThoseOfAllGroupsThatTheRowsTouch) {
  std::mt19937 rng(34);
  const SideProblem mlx(rng, Dtype::MLX4, 6, 256, {1, 64}, Dtype::BF16),
      fp8(rng, Dtype::F8_E4M3, 300, 300, {128, 128}, Dtype::F32);
  EXPECT_EQ(mlx.w.side.n_bytes(6, 256), 6U * 4 * 2 * 2);
  EXPECT_EQ(mlx.w.side.n_bytes(6, 128), 6U * 2 * 2 * 2) << "of half of the columns";
  EXPECT_EQ(fp8.w.side.n_bytes(300, 300), 3U * 3 * 4);
  EXPECT_EQ(fp8.w.side.bytes(300)[0].data(), fp8.scales.data());
  EXPECT_TRUE(fp8.w.side.bytes(300)[1].empty());
  EXPECT_EQ(SideScales{}.n_bytes(300, 300), 0U);
}

}  // namespace
}  // namespace confab::kernels
