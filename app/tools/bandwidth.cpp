// SPDX-License-Identifier: MIT
#include "app/tools/bandwidth.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

namespace confab::app {
namespace {

constexpr std::size_t kBytes = std::size_t{512} << 20;  // beyond any last-level cache of today
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr int kPasses = 6;

// Several independent sums, so that additions do not wait for each other.
std::uint64_t sum(std::span<const std::uint64_t> words) noexcept {
  std::array<std::uint64_t, 32> sums{};
  for (std::size_t i = 0; i + sums.size() <= words.size(); i += sums.size())
    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += words[i + lane];
  std::uint64_t total = 0;
  for (const std::uint64_t s : sums) total += s;
  return total;
}

}  // namespace

double measure_read_gbs(kernels::ThreadPool& pool) {
  constexpr std::size_t kWords = kBytes / sizeof(std::uint64_t);
  constexpr std::size_t kPieceWords = kPieceBytes / sizeof(std::uint64_t);
  constexpr int kPieces = static_cast<int>(kBytes / kPieceBytes);
  const auto buffer = std::make_unique_for_overwrite<std::uint64_t[]>(kWords);
  const auto piece = [&](int i) {
    return std::span(buffer.get() + static_cast<std::size_t>(i) * kPieceWords, kPieceWords);
  };
  pool.parallel_for(kPieces, [&](int i, int) { std::ranges::fill(piece(i), 0x5555U + i); });

  std::atomic<std::uint64_t> total{0};  // keeps the sums from being optimised away
  double best = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    pool.parallel_for(
        kPieces, [&](int i, int) { total.fetch_add(sum(piece(i)), std::memory_order_relaxed); });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, static_cast<double>(kBytes) / took.count() / 1e9);
  }
  return total.load() == 0 ? 0 : best;
}

}  // namespace confab::app
