// SPDX-License-Identifier: MIT
#include "kernels/quantize.h"

#include <array>
#include <cmath>

#include "kernels/tables.h"
#include "tests/kernels/testing.h"

namespace confab::kernels {
namespace {

constexpr std::array kWritten{Dtype::F16,  Dtype::BF16, Dtype::Q8_0, Dtype::Q4_0, Dtype::Q5_0,
                              Dtype::Q5_1, Dtype::Q4_K, Dtype::Q5_K, Dtype::Q6_K};

std::vector<std::byte> quantize(const KernelTable& table, Dtype dtype,
                                const std::vector<float>& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<std::byte> row(row_bytes(dtype, n));
  quantize_row(table, dtype, x.data(), n, row.data());
  return row;
}

TEST(QuantizeTest, BitsDoNotDependOnTheTable) {
  std::mt19937 rng(81);
  const auto x = testing::random_floats(rng, 1024, 0.02F);
  for (const Dtype dtype : kWritten) {
    const auto want = quantize(kScalarTable, dtype, x);
    for (const KernelTable* table : usable_kernel_tables())
      EXPECT_EQ(quantize(*table, dtype, x), want) << info(dtype).name << " " << name(table->isa);
  }
}

// The rounding error as the searches weigh it, by importance: plainly, by magnitude, by square.
double weighted_error(const std::vector<float>& x, const std::vector<float>& y, int power) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = static_cast<double>(x[i]), d = static_cast<double>(y[i]) - v;
    const double weight = power == 0 ? 1 : std::pow(std::fabs(v), power);
    error += weight * d * d;
    norm += weight * v * v;
  }
  return error / norm;
}

TEST(QuantizeFidelityTest, ErrorsAreWithinTwoPercentOfTheReferences) {
  const auto folder = testing::fixtures() / "quant/types";
  if (!exists(folder)) GTEST_SKIP() << "no golden data in " << folder;
  for (const Dtype dtype : kWritten) {
    std::string type(info(dtype).name);
    for (char& c : type) c = c == 'K' ? c : static_cast<char>(std::tolower(c));
    const auto x = testing::read_npy(folder / (type + ".src.npy"));
    const auto reference = testing::read_npy(folder / (type + ".deq.npy"));
    ASSERT_EQ(x.size(), reference.size()) << type;
    std::vector<float> y(x.size());
    const auto row = quantize(kScalarTable, dtype, x);
    kScalarTable.decode_row(dtype, row.data(), static_cast<std::int64_t>(x.size()), y.data());
    for (const int power : {0, 1, 2}) {
      const double ratio = weighted_error(x, y, power) / weighted_error(x, reference, power);
      EXPECT_LE(ratio, 1.02) << type << ", weighted by |x|^" << power;
      RecordProperty(type + "_" + std::to_string(power), std::to_string(ratio));
    }
  }
}

}  // namespace
}  // namespace confab::kernels
