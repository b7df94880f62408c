// SPDX-License-Identifier: MIT
// What a user waits for in the worst of a hundred cases.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace confab {

// Times calls one by one, beside what google-benchmark measures.
class Percentiles {
 public:
  template <class Call>
  auto measure(Call call) {
    const auto begin = std::chrono::steady_clock::now();
    auto result = call();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    ms_.push_back(took.count());
    return result;
  }
  void report(benchmark::State& state) {
    if (ms_.empty()) return;
    std::ranges::sort(ms_);
    state.counters["p50_ms"] = ms_[ms_.size() / 2];
    state.counters["p99_ms"] = ms_[ms_.size() * 99 / 100];
  }

 private:
  std::vector<double> ms_;
};

}  // namespace confab
