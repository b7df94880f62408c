// SPDX-License-Identifier: MIT
#include "bench/ceilings.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace confab::bench {
namespace {

using kernels::Isa;

constexpr std::size_t kMemoryBytes = std::size_t{256} << 20;
constexpr std::size_t kCacheBytes = std::size_t{256} << 10;
constexpr std::size_t kNearBytes = std::size_t{16} << 10;
constexpr int kSteps = 4096;

// Results go here and beginnings come from it, so that nothing measured is left out or done once.
volatile float sink;

// Units of work a nanosecond: the best of calls for half a second, `work` units each.
template <typename Call>
double rate(double work, Call call) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  const auto end = Clock::now() + std::chrono::milliseconds(500);
  for (auto now = Clock::now(); now < end;) {
    const float result = call();
    sink = result > -1e6F && result < 1e6F ? result : 1.0F;
    const auto after = Clock::now();
    const std::chrono::duration<double, std::nano> took = after - now;
    best = std::max(best, work / took.count());
    now = after;
  }
  return best;
}

using Read = float (*)(const std::byte* data, std::size_t n);

double read_rate(Read read, std::size_t n_bytes) {
  const std::vector<std::byte> data(n_bytes, std::byte{1});
  const int n_passes = static_cast<int>(std::max<std::size_t>(1, (std::size_t{4} << 20) / n_bytes));
  return rate(static_cast<double>(n_bytes) * n_passes, [&] {
    float sum = 0;
    for (int i = 0; i < n_passes; ++i) sum += read(data.data(), n_bytes);
    return sum;
  });
}

// n is a multiple of 128.
[[maybe_unused]] float read_words(const std::byte* data, std::size_t n) {
  std::uint64_t sums[8] = {};
  for (std::size_t i = 0; i < n; i += 64) {
    const auto* words = reinterpret_cast<const std::uint64_t*>(data + i);
    for (int j = 0; j < 8; ++j) sums[j] += words[j];
  }
  std::uint64_t total = 0;
  for (const std::uint64_t sum : sums) total += sum;
  return static_cast<float>(total);
}

#if defined(__x86_64__)
#define CONFAB_AVX2 __attribute__((target("avx2,fma")))
#define CONFAB_AVX_VNNI __attribute__((target("avx2,avxvnni")))
#define CONFAB_AVX512 __attribute__((target("avx512f,avx512bw,avx512vnni")))
#define CONFAB_AVX512_BF16 __attribute__((target("avx512f,avx512bw,avx512bf16")))

// The compiler may not see through what is in the register.
template <typename V>
CONFAB_AVX2 inline void keep_avx2(V& v) {
  __asm__ volatile("" : "+x"(v));
}
template <typename V>
CONFAB_AVX512 inline void keep_avx512(V& v) {
  __asm__ volatile("" : "+v"(v));
}

CONFAB_AVX2 float read_avx2(const std::byte* data, std::size_t n) {
  __m256i sums[4] = {};
  for (std::size_t i = 0; i < n; i += 128) {
    const auto* v = reinterpret_cast<const __m256i*>(data + i);
    for (int j = 0; j < 4; ++j) {
      keep_avx2(sums[j] = _mm256_xor_si256(sums[j], _mm256_loadu_si256(v + j)));
    }
  }
  const __m256i both =
      _mm256_xor_si256(_mm256_xor_si256(sums[0], sums[1]), _mm256_xor_si256(sums[2], sums[3]));
  return static_cast<float>(_mm256_extract_epi32(both, 0));
}

CONFAB_AVX512 float read_avx512(const std::byte* data, std::size_t n) {
  __m512i a = _mm512_setzero_si512(), b = a;
  for (std::size_t i = 0; i < n; i += 128) {
    keep_avx512(a = _mm512_xor_si512(a, _mm512_loadu_si512(data + i)));
    keep_avx512(b = _mm512_xor_si512(b, _mm512_loadu_si512(data + i + 64)));
  }
  return static_cast<float>(_mm_cvtsi128_si32(_mm512_castsi512_si128(_mm512_xor_si512(a, b))));
}

CONFAB_AVX2 float fma_avx2() {
  __m256 a[12];
  for (int i = 0; i < 12; ++i) a[i] = _mm256_set1_ps(sink + static_cast<float>(i));
  const __m256 b = _mm256_set1_ps(0.999F), c = _mm256_set1_ps(0.001F);
  for (int i = 0; i < kSteps; ++i) {
    for (auto& v : a) v = _mm256_fmadd_ps(v, b, c);
  }
  for (const auto& v : a) a[0] = _mm256_add_ps(a[0], v);
  return _mm256_cvtss_f32(a[0]);
}

// As a kernel has to do it: products of bytes to pairs, pairs to words, added up.
CONFAB_AVX2 float dot_i8_avx2() {
  __m256i a[8] = {};
  const __m256i ones = _mm256_set1_epi16(1);
  const __m256i c = _mm256_set1_epi8(2);
  __m256i b = _mm256_set1_epi8(3);
  for (int i = 0; i < kSteps; ++i) {
    for (auto& v : a) {
      keep_avx2(b);  // no product is known from the one before
      v = _mm256_add_epi32(v, _mm256_madd_epi16(_mm256_maddubs_epi16(b, c), ones));
    }
  }
  for (const auto& v : a) a[0] = _mm256_add_epi32(a[0], v);
  return static_cast<float>(_mm256_extract_epi32(a[0], 0));
}

CONFAB_AVX_VNNI float dot_i8_avx_vnni() {
  __m256i a[12];
  for (int i = 0; i < 12; ++i) a[i] = _mm256_set1_epi32(static_cast<int>(sink) + i);
  const __m256i b = _mm256_set1_epi8(3), c = _mm256_set1_epi8(2);
  for (int i = 0; i < kSteps; ++i) {
    for (auto& v : a) v = _mm256_dpbusd_avx_epi32(v, b, c);
  }
  for (const auto& v : a) a[0] = _mm256_add_epi32(a[0], v);
  return static_cast<float>(_mm256_extract_epi32(a[0], 0) & 1);
}

CONFAB_AVX512 float fma_avx512() {
  __m512 a[16];
  for (int i = 0; i < 16; ++i) a[i] = _mm512_set1_ps(sink + static_cast<float>(i));
  const __m512 b = _mm512_set1_ps(0.999F), c = _mm512_set1_ps(0.001F);
  for (int i = 0; i < kSteps; ++i) {
    for (auto& v : a) v = _mm512_fmadd_ps(v, b, c);
  }
  for (const auto& v : a) a[0] = _mm512_add_ps(a[0], v);
  return _mm512_cvtss_f32(a[0]);
}

CONFAB_AVX512 float dot_i8_avx512() {
  __m512i a[16];
  for (int i = 0; i < 16; ++i) a[i] = _mm512_set1_epi32(static_cast<int>(sink) + i);
  const __m512i b = _mm512_set1_epi8(3), c = _mm512_set1_epi8(2);
  for (int i = 0; i < kSteps; ++i) {
    for (auto& v : a) v = _mm512_dpbusd_epi32(v, b, c);
  }
  for (const auto& v : a) a[0] = _mm512_add_epi32(a[0], v);
  return static_cast<float>(_mm_cvtsi128_si32(_mm512_castsi512_si128(a[0])) & 1);
}

CONFAB_AVX512_BF16 float dot_bf16_avx512() {
  __m512 a[16];
  for (int i = 0; i < 16; ++i) a[i] = _mm512_set1_ps(sink + static_cast<float>(i));
  const __m512bh b = _mm512_cvtne2ps_pbh(_mm512_set1_ps(1.0F), _mm512_set1_ps(0.5F));
  for (int i = 0; i < kSteps; ++i) {
    for (auto& v : a) v = _mm512_dpbf16_ps(v, b, b);
  }
  for (const auto& v : a) a[0] = _mm512_add_ps(a[0], v);
  return _mm512_cvtss_f32(a[0]);
}
#endif

}  // namespace

Ceilings measure_ceilings(Isa isa) {
  const auto of_reads = [](Read read) {
    return Ceilings{.memory = read_rate(read, kMemoryBytes),
                    .cache = read_rate(read, kCacheBytes),
                    .near = read_rate(read, kNearBytes),
                    .i8 = 0,
                    .f32 = 0,
                    .bf16 = 0};
  };
#if defined(__x86_64__)
  if (isa == Isa::avx2 || isa == Isa::avx_vnni) {
    Ceilings c = of_reads(read_avx2);
    c.i8 = isa == Isa::avx2 ? rate(8.0 * 32 * kSteps, dot_i8_avx2)
                            : rate(12.0 * 32 * kSteps, dot_i8_avx_vnni);
    c.f32 = rate(12.0 * 8 * kSteps, fma_avx2);
    return c;
  }
  if (isa != Isa::scalar) {
    Ceilings c = of_reads(read_avx512);
    c.i8 = rate(16.0 * 64 * kSteps, dot_i8_avx512);
    c.f32 = rate(16.0 * 16 * kSteps, fma_avx512);
    if (__builtin_cpu_supports("avx512bf16")) c.bf16 = rate(16.0 * 32 * kSteps, dot_bf16_avx512);
    return c;
  }
#else
  static_cast<void>(isa);
#endif
  return of_reads(read_words);
}

}  // namespace confab::bench
