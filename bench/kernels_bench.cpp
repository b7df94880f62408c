// SPDX-License-Identifier: MIT
// Every kernel of every table that this processor runs, on one core, next to what the core can do
// at best: "ceiling/..." are the rates to compare with. Decode reads weights from memory (or from
// the cache: "cached") and is measured in GB/s of weights; prefill in GMAC/s.
#include <benchmark/benchmark.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/block.h"
#include "kernels/isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace confab::kernels {
namespace {

constexpr std::int64_t kLargeBytes = std::int64_t{128} << 20;  // beyond the last-level cache

std::vector<std::byte> random_rows(Dtype dtype, std::int64_t n_rows, std::int64_t n_cols) {
  std::mt19937 rng(1);
  std::vector<float> row(static_cast<std::size_t>(n_cols));
  std::vector<std::byte> bytes(row_bytes(dtype, n_cols) * static_cast<std::size_t>(n_rows));
  for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    // f16 numbers of moderate size wherever a scale may lie
    const std::uint32_t bits = (rng() & 0x83ff83ffU) | 0x20002000U;
    std::memcpy(bytes.data() + i, &bits, 4);
  }
  return bytes;
}

struct MatmulCase {
  const KernelTable* table;
  Dtype dtype;
  std::int64_t n_rows, n_cols;
  int n_tokens;
  bool exact = false;
};

void run_matmul(benchmark::State& state, const MatmulCase& c) {
  const auto weights = random_rows(c.dtype, c.n_rows, c.n_cols);
  const WeightRows w{c.dtype, weights.data(), c.n_cols, row_bytes(c.dtype, c.n_cols)};
  const ActFormat format = act_format(c.dtype, c.exact);
  const std::size_t act_bytes = act_row_bytes(format, c.n_cols);
  std::vector<std::byte> acts(act_bytes * static_cast<std::size_t>(c.n_tokens));
  std::vector<float> x(static_cast<std::size_t>(c.n_cols), 0.5F);
  for (int t = 0; t < c.n_tokens; ++t) {
    c.table->pack_row(format, x.data(), c.n_cols,
                      acts.data() + act_bytes * static_cast<std::size_t>(t));
  }
  std::vector<float> y(static_cast<std::size_t>(c.n_rows * c.n_tokens));
  for (auto _ : state) {
    c.table->matmul(w, 0, c.n_rows, {format, acts.data(), c.n_tokens, act_bytes}, y.data(),
                    c.n_rows);
    benchmark::DoNotOptimize(y.data());
  }
  const auto per_second = [&](double n) {
    return benchmark::Counter(n * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  };
  state.counters["GB/s"] = per_second(static_cast<double>(weights.size()));
  state.counters["GMAC/s"] = per_second(static_cast<double>(c.n_rows * c.n_cols * c.n_tokens));
}

void run_attention(benchmark::State& state, const KernelTable* table, Dtype dtype, int n_queries) {
  constexpr int kGroup = 4, kDim = 64, kDepth = 4096;
  const std::size_t row = row_bytes(dtype, kDim);
  const auto k = random_rows(dtype, kDepth, kDim), v = random_rows(dtype, kDepth, kDim);
  std::vector<float> q(static_cast<std::size_t>(kGroup * kDim * n_queries), 0.1F), out(q.size());
  std::vector<float> scratch(attention_scratch_floats(kGroup, kDim, kDim));
  AttentionJob job{};
  job.q = q.data();
  job.out = out.data();
  job.q_stride = job.out_stride = kGroup * kDim;
  job.n_queries = n_queries;
  job.n_group = kGroup;
  job.head_dim_k = job.head_dim_v = kDim;
  job.pos = kDepth - n_queries;
  job.scale = 0.125F;
  job.k = {dtype, k.data(), 64, 64 * row, row};
  job.v = {dtype, v.data(), 64, 64 * row, row};
  job.scratch = scratch.data();
  for (auto _ : state) {
    table->attention(job);
    benchmark::DoNotOptimize(out.data());
  }
  const double macs = 2.0 * kDim * kGroup * n_queries * (kDepth - n_queries / 2.0);
  state.counters["GMAC/s"] =
      benchmark::Counter(macs * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["GB/s"] = benchmark::Counter(static_cast<double>(k.size() + v.size()) * 1e-9,
                                              benchmark::Counter::kIsIterationInvariantRate);
}

// One call on a row of 4096 floats; GB/s of floats read.
template <typename Call>
void run_row(benchmark::State& state, Call call) {
  constexpr std::int64_t kN = 4096;
  std::vector<float> x(kN, 0.5F), w(kN, 1.5F), y(kN);
  std::vector<std::byte> bytes(act_row_bytes(ActFormat::f32, kN));
  for (auto _ : state) {
    call(x.data(), w.data(), kN, y.data(), bytes.data());
    benchmark::DoNotOptimize(y.data());
    benchmark::DoNotOptimize(bytes.data());
    benchmark::ClobberMemory();
  }
  state.counters["GB/s"] =
      benchmark::Counter(kN * 4e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void read_memory(benchmark::State& state) {
  std::vector<std::uint64_t> data(kLargeBytes / 8, 1);
  for (auto _ : state) {
    std::uint64_t sums[8] = {};
    for (std::size_t i = 0; i < data.size(); i += 8) {
      for (std::size_t j = 0; j < 8; ++j) sums[j] += data[i + j];
    }
    benchmark::DoNotOptimize(sums);
  }
  state.counters["GB/s"] =
      benchmark::Counter(kLargeBytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void copy_memory(benchmark::State& state) {
  std::vector<char> from(kLargeBytes, 1), to(kLargeBytes);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::DoNotOptimize(to.data());
  }
  state.counters["GB/s"] =
      benchmark::Counter(2e-9 * kLargeBytes, benchmark::Counter::kIsIterationInvariantRate);
}

#if defined(__x86_64__)
constexpr int kSteps = 4096;

__attribute__((target("avx512f"))) void fma_rate(benchmark::State& state) {
  __m512 a[16];
  for (auto& v : a) v = _mm512_set1_ps(1.0F);
  const __m512 b = _mm512_set1_ps(0.999F), c = _mm512_set1_ps(0.001F);
  for (auto _ : state) {
    for (int i = 0; i < kSteps; ++i) {
      for (auto& v : a) v = _mm512_fmadd_ps(v, b, c);
    }
    for (auto& v : a) benchmark::DoNotOptimize(v);
  }
  state.counters["GMAC/s"] =
      benchmark::Counter(16.0 * 16 * kSteps * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

__attribute__((target("avx512f,avx512vnni"))) void vnni_rate(benchmark::State& state) {
  __m512i a[16];
  for (auto& v : a) v = _mm512_setzero_si512();
  const __m512i b = _mm512_set1_epi8(3), c = _mm512_set1_epi8(2);
  for (auto _ : state) {
    for (int i = 0; i < kSteps; ++i) {
      for (auto& v : a) v = _mm512_dpbusd_epi32(v, b, c);
    }
    for (auto& v : a) benchmark::DoNotOptimize(v);
  }
  state.counters["GMAC/s"] =
      benchmark::Counter(16.0 * 64 * kSteps * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}
#endif

void add_matmuls(const KernelTable* table, const std::string& prefix) {
  for (std::uint32_t number = 0; number < 256; ++number) {
    const DtypeInfo* type = find_dtype(number);
    if (type == nullptr) continue;
    const Dtype dtype = type->dtype;
    const std::string name(type->name);
    const auto rows = kLargeBytes / static_cast<std::int64_t>(row_bytes(dtype, 2048)) / 64 * 64;
    const auto add = [&](const std::string& what, const MatmulCase& c) {
      benchmark::RegisterBenchmark((prefix + what + name).c_str(), run_matmul, c);
    };
    if (table->isa != Isa::scalar) add("decode/", {table, dtype, rows, 2048, 1});
    add("decode_cached/", {table, dtype, 128, 2048, 1});
    add("prefill/", {table, dtype, 64, 2048, 128});
  }
  benchmark::RegisterBenchmark((prefix + "prefill_exact/Q4_K").c_str(), run_matmul,
                               MatmulCase{table, Dtype::Q4_K, 64, 2048, 64, true});
}

void add_rows(const KernelTable* t, const std::string& prefix) {
  const auto add = [&](const char* what, auto call) {
    benchmark::RegisterBenchmark((prefix + what).c_str(),
                                 [call](benchmark::State& s) { run_row(s, call); });
  };
  using In = const float*;
  add("pack_q8", [t](In x, In, std::int64_t n, float*, std::byte* out) {
    t->pack_row(ActFormat::q8, x, n, out);
  });
  add("encode_q8_0", [t](In x, In, std::int64_t n, float*, std::byte* out) {
    t->encode_row(Dtype::Q8_0, x, n, out);
  });
  add("encode_f16", [t](In x, In, std::int64_t n, float*, std::byte* out) {
    t->encode_row(Dtype::F16, x, n, out);
  });
  add("rms_norm",
      [t](In x, In w, std::int64_t n, float* y, std::byte*) { t->rms_norm(x, w, n, 1e-5F, y); });
  add("silu_mul",
      [t](In x, In w, std::int64_t n, float* y, std::byte*) { t->silu_mul(x, w, n, y); });
  add("add", [t](In x, In, std::int64_t n, float* y, std::byte*) { t->add(x, n, y); });
  add("softmax", [t](In x, In, std::int64_t n, float* y, std::byte*) {
    std::memcpy(y, x, static_cast<std::size_t>(n) * sizeof(float));
    t->softmax(y, n);
  });
  add("rope", [t](In x, In w, std::int64_t n, float* y, std::byte*) {
    t->rope(y, static_cast<int>(n), false, x, w);
  });
}

void add_all() {
  benchmark::RegisterBenchmark("ceiling/read", read_memory);
  benchmark::RegisterBenchmark("ceiling/copy", copy_memory);
#if defined(__x86_64__)
  if (kernel_table(Isa::avx512) != nullptr) {
    benchmark::RegisterBenchmark("ceiling/fma_f32", fma_rate);
    benchmark::RegisterBenchmark("ceiling/dot_i8", vnni_rate);
  }
#endif
  for (const KernelTable* table : usable_kernel_tables()) {
    const std::string prefix = std::string(name(table->isa)) + "/";
    add_matmuls(table, prefix);
    for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::Q8_0}) {
      for (const int n : {1, 64}) {
        const std::string what = prefix + "attention/" + std::string(info(dtype).name) + "/";
        benchmark::RegisterBenchmark((what + std::to_string(n)).c_str(), run_attention, table,
                                     dtype, n);
      }
    }
    add_rows(table, prefix);
  }
}

}  // namespace
}  // namespace confab::kernels

int main(int argc, char** argv) {
  confab::kernels::add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
