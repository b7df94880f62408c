// SPDX-License-Identifier: MIT
#include "tests/engine/gpu/self_test/bench.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using kernels::vulkan::Buffer;
using kernels::vulkan::Memory;

TEST(BenchTest, ValuesComeBackInEachForm) {
  CONFAB_NEEDS_GPU();
  Bench bench(*kernels::vulkan::some_gpu());
  constexpr std::size_t kValues = 128;
  const Buffer memory = bench.gpu().allocate(16 * kValues, Memory::device);
  const std::uint64_t at = memory.address();
  GpuActivations x{.floats = at, .packed = {at + 512, at + 640, at + 704}, .halves = at + 768};
  const std::vector<float> values = bench.put_activations(memory, x, kValues);
  EXPECT_EQ(bench.get<float>(memory, x.floats, kValues), values);
  EXPECT_EQ(bench.get_packed(memory, x.packed, kValues), values);
  EXPECT_TRUE(are_alike(bench.get_halves(memory, x.halves, kValues), values));
  bench.put(memory, x.packed.sums, std::vector<float>(kValues / 16, 1));
  EXPECT_FALSE(are_alike(bench.get_packed(memory, x.packed, kValues), values))
      << "sums are a part of it";
}

TEST(BenchTest, OneWrongValueOfAThousandIsNotRounding) {
  std::vector<float> want(1000);
  for (std::size_t i = 0; i < want.size(); ++i) want[i] = i % 2 == 0 ? 1 : -1;
  std::vector<float> got = want;
  for (float& value : got) value += 1.0F / 254;  // as packed activations may be off
  EXPECT_TRUE(are_alike(got, want));
  got[500] = 0;
  EXPECT_FALSE(are_alike(got, want));
  got = want;
  got[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(are_alike(got, want));
  EXPECT_TRUE(are_alike(std::vector<float>(8), std::vector<float>(8)));
  EXPECT_FALSE(are_alike(std::vector<float>{1e-9F}, std::vector<float>(1)));
}

}  // namespace
}  // namespace confab::engine
