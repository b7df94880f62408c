// SPDX-License-Identifier: MIT
#include "engine/fit/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/gguf/gguf.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using testing::HasSubstr;
using testing::Not;

// A model of 1000 MiB whose cache takes 1 MiB for 8 tokens: half keys, half values, which q4_0
// halves.
class AdviceTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kMiB = 1 << 20;

  static std::uint64_t bytes(const FitChoice& choice) {
    const auto half = static_cast<std::uint64_t>(choice.n_ctx) * kMiB / 16;
    const std::uint64_t keys = choice.type_k == Dtype::Q4_0 ? half / 2 : half;
    const std::uint64_t values = choice.type_v == Dtype::Q4_0 ? half / 2 : half;
    return 1000 * kMiB + static_cast<std::uint64_t>(choice.n_parallel) * (keys + values);
  }
  std::string with(std::uint64_t mib, FitChoice asked = {.n_ctx = 8192}, bool may = true) const {
    const auto all = [](const FitChoice& choice) { return bytes(choice); };
    return advice(gguf_, {.asked = asked,
                          .may_shorten_keys = may,
                          .may_shorten_values = may,
                          .available_bytes = mib * kMiB,
                          .bytes = all});
  }

  const TinyModelFile file_{{.quantised = true}};
  const Gguf gguf_{file_.path()};
};

TEST_F(AdviceTest, AShorterContextComesFirstWhereItIsNotMuchShorter) {
  EXPECT_THAT(with(1900), testing::StartsWith("with -c 7168 it takes 1.9 GiB"));
  EXPECT_THAT(with(1512), testing::StartsWith("with -c 4096 it takes 1.5 GiB"));
}

TEST_F(AdviceTest, ThenShorterValues) {
  EXPECT_THAT(with(1400), testing::StartsWith("with -c 4096 -ctv q4_0 it takes 1.4 GiB"));
  EXPECT_THAT(with(1400, {.n_ctx = 8192}, false), testing::StartsWith("with -c 3072 it takes"));
  EXPECT_THAT(with(1400, {.n_ctx = 8192, .type_v = Dtype::Q4_0}), Not(HasSubstr("-ctv")));
}

TEST_F(AdviceTest, ThenShorterKeysWhereValuesAloneWouldLeaveLessThanHalf) {
  EXPECT_THAT(with(1300), testing::StartsWith("with -c 4608 -ctk q4_0 -ctv q4_0 it takes 1.3 GiB"));
  EXPECT_THAT(with(1300, {.n_ctx = 8192, .type_v = Dtype::Q4_0}),
              testing::StartsWith("with -c 4608 -ctk q4_0 it takes 1.3 GiB"));
}

TEST_F(AdviceTest, ThenFewerAnswersAtATime) {
  EXPECT_THAT(with(1100, {.n_ctx = 512, .n_parallel = 8}),
              testing::StartsWith("ask for fewer answers at a time: with 1 it takes"));
}

// Nothing but fewer bits helps: of 1000 MiB that stay, and 2 MiB that bits would save.
TEST_F(AdviceTest, WithoutRoomForTheWeightsItIsAnotherModel) {
  EXPECT_EQ(with(500), "use a smaller model");
}

TEST_F(AdviceTest, WhatBitsSaveIsKnownFromTheShapes) {
  std::uint64_t n_bytes = 0;
  for (const GgufTensor& tensor : gguf_.tensors()) n_bytes += tensor.data.size();
  const auto constant = [n_bytes](const FitChoice&) { return n_bytes + 1000; };
  const auto told = [&](std::uint64_t available) {
    return advice(gguf_,
                  {.asked = {.n_ctx = 512}, .available_bytes = available, .bytes = constant});
  };
  EXPECT_EQ(told(n_bytes * 9 / 10 + 1000), "Q5_K_M of this model would fit whole")
      << "rows of 64 do not divide into blocks of Q6_K, and would stay Q8_0";
  EXPECT_EQ(told(1000), "use a smaller model");
}

}  // namespace
}  // namespace confab::engine
