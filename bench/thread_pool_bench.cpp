// SPDX-License-Identifier: MIT
// What a join of the team costs: loops without work, of one item a worker and of many.
#include <benchmark/benchmark.h>

#include <atomic>
#include <thread>

#include "kernels/thread_pool.h"

namespace confab::kernels {
namespace {

// A line that two threads hand to and fro: the least that two crossings of the processor take.
void hand_over(benchmark::State& state) {
  alignas(128) std::atomic<std::uint32_t> ball{0};
  std::atomic<bool> stop{false};
  std::thread other([&] {
    std::uint32_t seen = 0;
    while (!stop.load(std::memory_order_relaxed)) {
      const std::uint32_t now = ball.load(std::memory_order_acquire);
      if (now == seen || now % 2 == 0) continue;
      seen = now + 1;
      ball.store(seen, std::memory_order_release);
    }
  });
  std::uint32_t n = 0;
  for (auto _ : state) {
    ball.store(n + 1, std::memory_order_release);
    n += 2;
    while (ball.load(std::memory_order_acquire) != n) {
    }
  }
  stop.store(true);
  other.join();
}
BENCHMARK(hand_over)->Name("ceiling/hand_over")->UseRealTime();

void join(benchmark::State& state) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  const int n_items = pool.n_threads() * static_cast<int>(state.range(1));
  for (auto _ : state) {
    pool.parallel_for(n_items, [](int item, int) { benchmark::DoNotOptimize(item); });
  }
}
BENCHMARK(join)->ArgNames({"threads", "items_each"})->ArgsProduct({{2}, {1, 4, 16}})->UseRealTime();

}  // namespace
}  // namespace confab::kernels

BENCHMARK_MAIN();
