// SPDX-License-Identifier: MIT
// What sessions/ costs: a message until it is safe on the disk, a conversation until it is read, a
// prompt's blocks until they can be used. The directory is TMPDIR's: mind what disk that is.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sessions/kv_store.h"
#include "sessions/store.h"

namespace confab::sessions {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "confab-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::vector<NewMessage> conversation_of(std::size_t n) {
  std::vector<NewMessage> messages(n);
  for (std::size_t i = 0; i < n; ++i) {
    messages[i].role = i % 2 == 0 ? Role::user : Role::assistant;
    messages[i].content = std::string(600, static_cast<char>('a' + i % 26));
    messages[i].tokens.assign(150, 1000);
  }
  return messages;
}

void report_percentiles(benchmark::State& state, std::vector<double> ms) {
  if (ms.empty()) return;
  std::ranges::sort(ms);
  state.counters["p50_ms"] = ms[ms.size() / 2];
  state.counters["p99_ms"] = ms[ms.size() * 99 / 100];
}

// One message into a conversation that has so many already.
void append_message(benchmark::State& state) {
  const TempDir dir;
  Store store(dir / "confab.db");
  auto last = store.create_conversation(conversation_of(static_cast<std::size_t>(state.range(0))));
  const NewMessage message = conversation_of(1)[0];
  std::vector<double> ms;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = Clock::now();
    last = store.append_message(last.conversation, last.message, message);
    ms.push_back(Milliseconds(Clock::now() - begin).count());
  }
  report_percentiles(state, std::move(ms));
}
BENCHMARK(append_message)->Arg(10)->Arg(10000)->Iterations(300)->Unit(benchmark::kMillisecond);

// From no connection to all messages of the latest conversation.
void open_and_read(benchmark::State& state) {
  const TempDir dir;
  Store(dir / "confab.db")
      .create_conversation(conversation_of(static_cast<std::size_t>(state.range(0))));
  for ([[maybe_unused]] auto _ : state) {
    Store store(dir / "confab.db");
    benchmark::DoNotOptimize(store.messages(store.latest_conversation()->id));
  }
}
BENCHMARK(open_and_read)->Arg(10)->Arg(10000)->Unit(benchmark::kMillisecond);

void list_conversations(benchmark::State& state) {
  const TempDir dir;
  Store store(dir / "confab.db");
  for (int i = 0; i < state.range(0); ++i) store.create_conversation(conversation_of(20));
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(store.list());
}
BENCHMARK(list_conversations)->Arg(100)->Unit(benchmark::kMillisecond);

constexpr int kBlockTokens = 256;

struct KvBench {
  explicit KvBench(std::size_t payload_bytes)
      : payload(payload_bytes, std::byte{42}),
        store({.directory = dir / "kv", .max_bytes = std::uint64_t{4} << 30}) {
    std::iota(tokens.begin(), tokens.end(), 0);
  }
  std::span<const std::int32_t> prefix(int n_blocks) const {
    return std::span(tokens).first(static_cast<std::size_t>(n_blocks * kBlockTokens));
  }
  void keep_all() {
    for (int i = 1; i <= kBlocks; ++i) store.keep("bench", prefix(i), payload);
    store.flush(std::chrono::minutes(1));
  }

  static constexpr int kBlocks = 16;  // 4096 tokens
  TempDir dir;
  std::vector<std::int32_t> tokens = std::vector<std::int32_t>(kBlocks * kBlockTokens);
  std::vector<std::byte> payload;
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

// What the generation thread pays for a block: the copy.
void keep_block(benchmark::State& state) {
  KvBench bench(static_cast<std::size_t>(state.range(0)) * 1024 * kBlockTokens);
  std::vector<double> ms;
  for ([[maybe_unused]] auto _ : state) {
    bench.tokens[0] += 1;  // another block each time
    const auto begin = Clock::now();
    bench.store.keep("bench", bench.prefix(1), bench.payload);
    ms.push_back(Milliseconds(Clock::now() - begin).count());
    state.PauseTiming();
    bench.store.flush(std::chrono::minutes(1));
    state.ResumeTiming();
  }
  report_percentiles(state, std::move(ms));
}
BENCHMARK(keep_block)->Arg(12)->Iterations(50)->Unit(benchmark::kMillisecond);

// The storage thread's speed, with the copy.
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
