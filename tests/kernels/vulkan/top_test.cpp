// SPDX-License-Identifier: MIT
// The program that finds the best logits of a row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::kernels::vulkan {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Best {
  float logit;
  std::uint32_t id;
  bool operator==(const Best&) const = default;
};

// As top.comp has them.
struct TopArguments {
  std::uint64_t from, best;
  std::uint32_t n;
};

std::vector<Best> best_of(std::span<const float> row, std::size_t k) {
  std::vector<Best> all;
  for (std::uint32_t i = 0; i < row.size(); ++i)
    all.push_back({std::isfinite(row[i]) ? row[i] : -kInfinity, i});
  const auto is_before = [](const Best& a, const Best& b) {
    return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
  };
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all.end(),
                    is_before);
  all.resize(k);
  return all;
}

// n_parts: as the pass has them (engine/gpu/gpu_recorder.cpp).
std::vector<Best> best_on_device(Gpu& gpu, std::span<const float> rows, std::uint32_t n_vocab,
                                 std::uint32_t k) {
  const auto n_rows = static_cast<std::uint32_t>(rows.size() / n_vocab);
  const std::uint32_t n_parts = std::clamp(n_vocab / 1024, 1U, 64U);
  const Buffer logits = gpu.allocate(rows.size_bytes(), Memory::shared);
  const Buffer of_parts = gpu.allocate(std::size_t{n_rows} * n_parts * k * 8, Memory::device);
  const Buffer best = gpu.allocate(std::size_t{n_rows} * k * 8, Memory::shared);
  std::memcpy(logits.data(), rows.data(), rows.size_bytes());
  Commands commands(gpu);
  const std::uint32_t first[] = {256, k, 0}, last[] = {256, k, 1};
  commands.dispatch(gpu.program(Shader::top, 0, first),
                    TopArguments{logits.address(), of_parts.address(), n_vocab}, {n_parts, n_rows});
  commands.barrier();
  commands.dispatch(gpu.program(Shader::top, 0, last),
                    TopArguments{of_parts.address(), best.address(), n_parts * k}, {1, n_rows});
  commands.end();
  gpu.run(commands);
  const auto* found = reinterpret_cast<const Best*>(best.data());
  return {found, found + std::size_t{n_rows} * k};
}

void expect_best(Gpu& gpu, const std::vector<float>& rows, std::uint32_t n_vocab, std::uint32_t k) {
  const std::vector<Best> found = best_on_device(gpu, rows, n_vocab, k);
  for (std::size_t row = 0; row * n_vocab < rows.size(); ++row) {
    const std::vector<Best> want = best_of(std::span(rows).subspan(row * n_vocab, n_vocab), k);
    for (std::size_t i = 0; i < k; ++i)
      if (want[i].logit == -kInfinity)
        EXPECT_EQ(found[row * k + i].logit, -kInfinity) << n_vocab << ' ' << k << ' ' << i;
      else
        EXPECT_TRUE(found[row * k + i] == want[i])
            << n_vocab << ' ' << k << ' ' << i << ": " << found[row * k + i].logit;
  }
}

std::vector<float> random_rows(std::size_t n, unsigned seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<float> normal(0, 4);
  std::vector<float> rows(n);
  for (float& x : rows) x = normal(rng);
  return rows;
}

TEST(TopTest, TheBestOfRowsOfAnySize) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*some_gpu());
  for (const std::uint32_t n_vocab : {64, 300, 1023, 2049, 65537, 151936, 262208})
    for (const std::uint32_t k : {1, 40, 64})
      expect_best(gpu, random_rows(2 * std::size_t{n_vocab}, n_vocab + k), n_vocab, k);
}

TEST(TopTest, OfEqualLogitsTheLowestIds) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*some_gpu());
  constexpr std::uint32_t kVocab = 5000;
  expect_best(gpu, std::vector<float>(kVocab, -3.25F), kVocab, 40);
  std::vector<float> few_values = random_rows(kVocab, 5);
  for (float& x : few_values) x = std::round(x);
  for (const std::uint32_t k : {1, 40, 64}) expect_best(gpu, few_values, kVocab, k);
}

TEST(TopTest, WhatIsNotFiniteIsLeftAside) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*some_gpu());
  constexpr std::uint32_t kVocab = 3000;
  std::vector<float> row = random_rows(kVocab, 6);
  for (std::size_t i = 0; i < kVocab; i += 3) {
    row[i] = std::numeric_limits<float>::quiet_NaN();
    row[i + 1] = i % 2 == 0 ? kInfinity : -kInfinity;
  }
  expect_best(gpu, row, kVocab, 40);
  for (std::size_t i = 0; i < kVocab; ++i)
    if (i != 17 && i != 2900) row[i] = std::numeric_limits<float>::quiet_NaN();
  row[17] = std::numeric_limits<float>::lowest();
  row[2900] = std::numeric_limits<float>::denorm_min();
  expect_best(gpu, row, kVocab, 40);
}

}  // namespace
}  // namespace confab::kernels::vulkan
