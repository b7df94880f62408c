// SPDX-License-Identifier: MIT
// Every kernel of every table that this processor runs, on one core, beside what the core can do
// at best with the same instructions (bench/ceilings.h), which is measured first.
//
// "share" is how much of its time a call needs at the least: its bytes at the rate of the cache or
// the memory that they lie in, or its multiplications at the rate of their type, whichever takes
// longer, over the time that it took. Names are TABLE/KERNEL/TYPE/..., to choose from with
// --benchmark_filter. decode: one token, weights from memory, passK: K tokens; decode_cached: from
// the second-level cache; prefill: 512 tokens.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/ceilings.h"
#include "kernels/block.h"
#include "kernels/dtype.h"
#include "kernels/isa.h"

namespace confab::kernels {
namespace {

constexpr std::int64_t kLargeBytes = std::int64_t{128} << 20;  // beyond the last-level cache

// What a call takes: bytes at gbs, multiplications at gmacs (GB/s and GMAC/s; 0: no limit known).
struct Work {
  double bytes, gbs;
  double macs, gmacs;
};

void set_counters(benchmark::State& state, const Work& work) {
  constexpr auto kRate = benchmark::Counter::kIsIterationInvariantRate;
  state.counters["GB/s"] = benchmark::Counter(work.bytes * 1e-9, kRate);
  if (work.macs > 0) state.counters["GMAC/s"] = benchmark::Counter(work.macs * 1e-9, kRate);
  const double least_bytes = work.gbs > 0 ? work.bytes * 1e-9 / work.gbs : 0;
  const double least_macs = work.gmacs > 0 ? work.macs * 1e-9 / work.gmacs : 0;
  state.counters["share"] = benchmark::Counter(std::max(least_bytes, least_macs), kRate);
}

struct Target {
  const KernelTable* table;
  bench::Ceilings ceilings;
};

// Bytes from a multiple of 64 on, as a file's tensors and the forward pass's buffers mostly are.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t n) : storage_(n + 64), n_(n) {
    void* p = storage_.data();
    std::size_t space = storage_.size();
    data_ = static_cast<std::byte*>(std::align(64, n, p, space));
  }
  std::byte* data() const { return data_; }
  std::size_t size() const { return n_; }

 private:
  std::vector<std::byte> storage_;
  std::size_t n_;
  std::byte* data_;
};

AlignedBytes random_rows(Dtype dtype, std::int64_t n_rows, std::int64_t n_cols) {
  std::mt19937 rng(1);
  AlignedBytes bytes(row_bytes(dtype, n_cols) * static_cast<std::size_t>(n_rows));
  for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    // f16 numbers of moderate size wherever a scale may lie
    const std::uint32_t bits = (rng() & 0x83ff83ffU) | 0x20002000U;
    std::memcpy(bytes.data() + i, &bits, 4);
  }
  return bytes;
}

constexpr std::int64_t kSideGroup = 64;

struct MatmulCase {
  Dtype dtype;
  std::int64_t n_rows, n_cols;
  int n_tokens;
  bool exact = false;
};

double mac_rate(const bench::Ceilings& c, ActFormat format) {
  if (format == ActFormat::q8) return c.i8;
  return format == ActFormat::bf16 && c.bf16 > 0 ? c.bf16 : c.f32;
}

// Groups of 64, as MLX has them, where the type has them at all.
SideScales side_of(Dtype dtype, const AlignedBytes& numbers, std::int64_t n_cols) {
  if (!has_side_scales(dtype)) return {};
  return {.scales = numbers.data(),
          .biases = numbers.data(),
          .dtype = Dtype::F16,
          .group_cols = kSideGroup,
          .n_per_row = n_cols / kSideGroup};
}

void run_matmul(benchmark::State& state, const Target& target, const MatmulCase& c) {
  const auto weights = random_rows(c.dtype, c.n_rows, c.n_cols);
  const auto numbers = random_rows(Dtype::F16, c.n_rows, c.n_cols / kSideGroup);
  const WeightRows w{c.dtype, weights.data(), c.n_cols, row_bytes(c.dtype, c.n_cols),
                     side_of(c.dtype, numbers, c.n_cols)};
  const ActFormat format = act_format(c.dtype, c.exact);
  const std::size_t act_bytes = act_row_bytes(format, c.n_cols);
  const AlignedBytes acts(act_bytes * static_cast<std::size_t>(c.n_tokens));
  const std::vector<float> x(static_cast<std::size_t>(c.n_cols), 0.5F);
  for (int t = 0; t < c.n_tokens; ++t) {
    target.table->pack_row(format, x.data(), c.n_cols,
                           acts.data() + act_bytes * static_cast<std::size_t>(t));
  }
  std::vector<float> y(static_cast<std::size_t>(c.n_rows * c.n_tokens));
  for (auto _ : state) {
    target.table->matmul(w, 0, c.n_rows, {format, acts.data(), c.n_tokens, act_bytes}, y.data(),
                         c.n_rows);
    benchmark::DoNotOptimize(y.data());
  }
  const auto bytes = static_cast<double>(weights.size());
  const bool large = weights.size() >= static_cast<std::size_t>(kLargeBytes) / 2;
  set_counters(state, {bytes, large ? target.ceilings.memory : target.ceilings.cache,
                       static_cast<double>(c.n_rows * c.n_cols * c.n_tokens),
                       mac_rate(target.ceilings, format)});
}

struct AttentionCase {
  Dtype dtype;
  int n_queries;
};

// Four query heads to a KV head of 64, at a depth of 4096.
void run_attention(benchmark::State& state, const Target& target, const AttentionCase& c) {
  constexpr int kGroup = 4, kDim = 64, kDepth = 4096;
  const std::size_t row = row_bytes(c.dtype, kDim);
  const auto k = random_rows(c.dtype, kDepth, kDim), v = random_rows(c.dtype, kDepth, kDim);
  std::vector<float> q(static_cast<std::size_t>(kGroup * kDim * c.n_queries), 0.1F), out(q.size());
  std::vector<float> scratch(attention_scratch_floats(kGroup, kDim, kDim));
  AttentionJob job{};
  job.q = q.data();
  job.out = out.data();
  job.q_stride = job.out_stride = kGroup * kDim;
  job.n_queries = c.n_queries;
  job.n_group = kGroup;
  job.head_dim_k = job.head_dim_v = kDim;
  job.pos = kDepth - c.n_queries;
  job.scale = 0.125F;
  std::vector<const std::byte*> k_blocks, v_blocks;
  for (std::size_t pos = 0; pos < kDepth; pos += 64) {
    k_blocks.push_back(k.data() + pos * row);
    v_blocks.push_back(v.data() + pos * row);
  }
  job.k = {c.dtype, k_blocks.data(), 0, 64, row};
  job.v = {c.dtype, v_blocks.data(), 0, 64, row};
  job.scratch = scratch.data();
  for (auto _ : state) {
    target.table->attention(job);
    benchmark::DoNotOptimize(out.data());
  }
  // Of f32 multiplications, whatever the kernel uses: narrower ones may come to more than 1.
  set_counters(state, {static_cast<double>(k.size() + v.size()), target.ceilings.cache,
                       2.0 * kDim * kGroup * c.n_queries * (kDepth - c.n_queries / 2.0),
                       target.ceilings.f32});
}

// Arrays that lie in the first-level cache: a kernel of rows or vectors reads and writes them.
struct Arrays {
  static constexpr std::int64_t kN = 2048;
  std::vector<float> x = std::vector<float>(kN, 0.5F), w = std::vector<float>(kN, 1.5F);
  std::vector<float> y = std::vector<float>(kN, 0.25F);
  std::vector<std::byte> bytes = std::vector<std::byte>(kN * 4);
};

// call(arrays), which reads and writes n_bytes of them in all.
template <typename Call>
void run_arrays(benchmark::State& state, const Target& target, double n_bytes, Call call) {
  Arrays arrays;
  for (auto _ : state) {
    call(arrays);
    benchmark::DoNotOptimize(arrays.y.data());
    benchmark::DoNotOptimize(arrays.bytes.data());
    benchmark::ClobberMemory();
  }
  set_counters(state, {n_bytes, target.ceilings.near, 0, 0});
}

class Registration {
 public:
  explicit Registration(const Target& target)
      : t_(target), prefix_(std::string(name(target.table->isa)) + "/") {}

  void add_all() {
    for (std::uint32_t number = 0; number < 256; ++number)
      if (const DtypeInfo* type = find_dtype(number)) add_type(*type);
    for (const Dtype dtype : {Dtype::MLX4, Dtype::MLX8, Dtype::F8_E4M3}) add_products(info(dtype));
    add_conversions();
    add_attention();
    add_vectors();
    add_activations();
    add_recurrent();
  }

 private:
  void add_products(const DtypeInfo& type) {
    const Dtype dtype = type.dtype;
    const auto rows = kLargeBytes / static_cast<std::int64_t>(row_bytes(dtype, 2048)) / 64 * 64;
    const auto add = [&](const std::string& what, const MatmulCase& c) {
      benchmark::RegisterBenchmark(fmt::format("{}{}/{}", prefix_, what, type.name).c_str(),
                                   run_matmul, t_, c);
    };
    if (t_.table->isa != Isa::scalar) {
      add("decode", {dtype, rows, 2048, 1});
      for (const int k : {2, 4, 8, 16}) add(fmt::format("pass{}", k), {dtype, rows, 2048, k});
      add("prefill", {dtype, 64, 2048, 512});
    }
    add("decode_cached", {dtype, 64, 2048, 1});
  }

  void add_type(const DtypeInfo& type) {
    const Dtype dtype = type.dtype;
    add_products(type);
    if (type.block > 1 || dtype == Dtype::BF16)
      benchmark::RegisterBenchmark(fmt::format("{}prefill_exact/{}", prefix_, type.name).c_str(),
                                   run_matmul, t_, MatmulCase{dtype, 64, 2048, 64, true});
    const auto row = static_cast<double>(row_bytes(dtype, Arrays::kN));
    add_arrays(fmt::format("decode_row/{}", type.name), row + 4.0 * Arrays::kN,
               [dtype](const KernelTable& k, Arrays& a) {
                 k.decode_row(dtype, a.bytes.data(), Arrays::kN, a.y.data());
               });
  }

  template <typename Call>
  void add_arrays(const std::string& what, double n_bytes, Call call) {
    benchmark::RegisterBenchmark(
        (prefix_ + what).c_str(), [target = t_, n_bytes, call](benchmark::State& state) {
          run_arrays(state, target, n_bytes, [&](Arrays& a) { call(*target.table, a); });
        });
  }

  void add_conversions() {
    const char* names[] = {"f32", "q8", "bf16"};
    for (const ActFormat format : {ActFormat::f32, ActFormat::q8, ActFormat::bf16}) {
      add_arrays(fmt::format("pack_row/{}", names[static_cast<int>(format)]),
                 4.0 * Arrays::kN + static_cast<double>(act_row_bytes(format, Arrays::kN)),
                 [format](const KernelTable& k, Arrays& a) {
                   k.pack_row(format, a.x.data(), Arrays::kN, a.bytes.data());
                 });
    }
    for (const CacheType& type : kCacheTypes) {
      const Dtype dtype = type.dtype;
      add_arrays(fmt::format("encode_row/{}", info(dtype).name),
                 4.0 * Arrays::kN + static_cast<double>(row_bytes(dtype, Arrays::kN)),
                 [dtype](const KernelTable& k, Arrays& a) {
                   k.encode_row(dtype, a.x.data(), Arrays::kN, a.bytes.data());
                 });
    }
  }

  void add_attention() {
    for (const CacheType& type : kCacheTypes) {
      const Dtype dtype = type.dtype;
      for (const int n : {1, 64}) {
        const std::string what = fmt::format("{}attention/{}/{}", prefix_, info(dtype).name, n);
        benchmark::RegisterBenchmark(what.c_str(), run_attention, t_, AttentionCase{dtype, n});
      }
    }
  }

  // As many bytes as n_arrays of the arrays have.
  template <typename Call>
  void add_vector(const char* what, int n_arrays, Call call) {
    add_arrays(what, 4.0 * Arrays::kN * n_arrays, call);
  }
  using K = KernelTable;
  static constexpr std::int64_t kN = Arrays::kN;

  void add_vectors() {
    add_vector("rms_norm", 4, [](const K& k, Arrays& a) {
      k.rms_norm(a.x.data(), a.w.data(), kN, 1e-5F, a.y.data());
    });
    add_vector("layer_norm", 5, [](const K& k, Arrays& a) {
      k.layer_norm(a.x.data(), a.w.data(), kN, 1e-5F, a.y.data());
    });
    for (const bool interleaved : {false, true}) {
      add_vector(interleaved ? "rope/interleaved" : "rope/halves", 3,
                 [interleaved](const K& k, Arrays& a) {
                   k.rope(a.y.data(), static_cast<int>(kN), interleaved, a.x.data(), a.w.data());
                 });
    }
    add_vector("add", 3, [](const K& k, Arrays& a) { k.add(a.x.data(), kN, a.y.data()); });
    add_vector("add_scaled", 3,
               [](const K& k, Arrays& a) { k.add_scaled(a.x.data(), kN, 1e-6F, a.y.data()); });
    add_vector("softmax", 6, [](const K& k, Arrays& a) { k.softmax(a.y.data(), kN); });
    add_vector("soft_cap", 2, [](const K& k, Arrays& a) { k.soft_cap(a.y.data(), kN, 30.0F); });
    add_vector("hadamard/128", 2, [](const K& k, Arrays& a) { k.hadamard(a.y.data(), kN, 128); });
  }

  void add_activations() {
    const auto add = [&](const char* what, auto kernel) {
      add_vector(what, 3, [kernel](const K& k, Arrays& a) {
        (k.*kernel)(a.x.data(), a.w.data(), kN, a.y.data());
      });
    };
    add("silu_mul", &K::silu_mul);
    add("swiglu_oai", &K::swiglu_oai);
    add("gelu_mul", &K::gelu_mul);
    add("sigmoid_mul", &K::sigmoid_mul);
  }

  void add_recurrent() {
    constexpr int kDim = 128;
    benchmark::RegisterBenchmark(
        (prefix_ + "delta_rule/128").c_str(), [t = t_](benchmark::State& s) {
          std::vector<float> state(kDim * kDim, 0.5F), v(kDim, 0.01F), out(kDim);
          for (auto _ : s) {
            t.table->delta_rule(
                {state.data(), v.data(), v.data(), v.data(), 0.9F, 0.1F, kDim, out.data()});
            benchmark::DoNotOptimize(out.data());
          }
          // Read and written twice.
          set_counters(s, {4.0 * 4 * kDim * kDim, t.ceilings.cache, 0, 0});
        });
  }

  const Target t_;
  const std::string prefix_;
};

// In the head of the output, so that a file of results has them too.
void print_ceilings(Isa isa, const bench::Ceilings& c) {
  benchmark::AddCustomContext(
      std::string("ceilings ") + std::string(name(isa)),
      fmt::format("read {:.0f} GB/s, second-level cache {:.0f}, first-level {:.0f}; GMAC/s: int8 "
                  "{:.0f}, f32 {:.0f}, bf16 {:.0f}",
                  c.memory, c.cache, c.near, c.i8, c.f32, c.bf16));
}

}  // namespace
}  // namespace confab::kernels

int main(int argc, char** argv) {
  using namespace confab;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const kernels::KernelTable* table : kernels::usable_kernel_tables()) {
    const bench::Ceilings ceilings = bench::measure_ceilings(table->isa);
    kernels::print_ceilings(table->isa, ceilings);
    kernels::Registration({table, ceilings}).add_all();
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
