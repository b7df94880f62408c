// SPDX-License-Identifier: MIT
// What the blocks of a prompt cost until they are kept, and until they can be used. The directory
// is TMPDIR's: mind what disk that is.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "bench/percentiles.h"
#include "bench/temp_dir.h"
#include "sessions/blocks/kv_store.h"

namespace confab::sessions {
namespace {

constexpr int kBlockTokens = 256;

struct KvBench {
  explicit KvBench(std::size_t payload_bytes)
      : payload(payload_bytes, std::byte{42}),
        segments(kSegments, payload_bytes / kSegments),
        store({.directory = dir / "kv", .max_bytes = std::uint64_t{4} << 30}) {
    std::iota(tokens.begin(), tokens.end(), 0);
  }
  std::span<const std::int32_t> prefix(int n_blocks) const {
    return std::span(tokens).first(static_cast<std::size_t>(n_blocks * kBlockTokens));
  }
  void keep(int n_blocks) { store.keep_block("bench", prefix(n_blocks), {payload, segments}); }
  void wait() {
    store.flush(std::chrono::minutes(1));
    store.take_written();
    store.release();
  }
  void keep_all() {
    for (int i = 1; i <= kBlocks; ++i) keep(i);
    wait();
  }

  static constexpr int kBlocks = 16;            // 4096 tokens
  static constexpr std::size_t kSegments = 32;  // keys and values of 16 layers
  TempDir dir;
  std::vector<std::int32_t> tokens = std::vector<std::int32_t>(kBlocks * kBlockTokens);
  std::vector<std::byte> payload;
  std::vector<std::uint64_t> segments;
  KvStore store;
};

// Every byte of a 4096-token prompt's blocks mapped and verified, from the page cache. Arguments:
// KiB a token. 12: a 0.5B model's KV cache in f16; 6.4 in q8_0.
void find_and_verify(benchmark::State& state) {
  KvBench bench(static_cast<std::size_t>(state.range(0)) * 1024 * kBlockTokens);
  bench.keep_all();
  for ([[maybe_unused]] auto _ : state) {
    const auto blocks = bench.store.find("bench", bench.tokens);
    if (blocks.size() != KvBench::kBlocks) state.SkipWithError("blocks are missing");
  }
  state.SetBytesProcessed(
      static_cast<std::int64_t>(state.iterations() * KvBench::kBlocks * bench.payload.size()));
}
BENCHMARK(find_and_verify)->Arg(2)->Arg(12)->Unit(benchmark::kMillisecond)->UseRealTime();

// What the generation thread pays for a block.
void keep_block(benchmark::State& state) {
  KvBench bench(static_cast<std::size_t>(state.range(0)) * 1024 * kBlockTokens);
  Percentiles times;
  for ([[maybe_unused]] auto _ : state) {
    bench.tokens[0] += 1;  // another block each time
    times.measure([&] { return bench.keep(1), 0; });
    state.PauseTiming();
    bench.wait();
    state.ResumeTiming();
  }
  times.report(state);
}
BENCHMARK(keep_block)->Arg(12)->Iterations(50)->Unit(benchmark::kMillisecond);

// The storage thread's speed.
void write_blocks(benchmark::State& state) {
  KvBench bench(static_cast<std::size_t>(state.range(0)) * 1024 * kBlockTokens);
  for ([[maybe_unused]] auto _ : state) {
    bench.tokens[0] += 1;
    bench.keep_all();
  }
  state.SetBytesProcessed(
      static_cast<std::int64_t>(state.iterations() * KvBench::kBlocks * bench.payload.size()));
}
BENCHMARK(write_blocks)->Arg(12)->Iterations(10)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace confab::sessions

BENCHMARK_MAIN();
