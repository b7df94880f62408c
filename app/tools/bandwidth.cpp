// SPDX-License-Identifier: MIT
#include "app/tools/bandwidth.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "engine/gpu/shader_arguments.h"
#include "engine/platform/memory.h"

namespace confab::app {
namespace {

using engine::GpuMatrix;
using engine::MatvecArguments;
using kernels::vulkan::Buffer;
using kernels::vulkan::Commands;
using kernels::vulkan::Gpu;
using kernels::vulkan::GpuError;
using kernels::vulkan::Memory;
using kernels::vulkan::Shader;
using Seconds = std::chrono::duration<double>;

// Q8_0 in planes, the format whose rows are read in the largest pieces (shaders/formats.glsl).
constexpr std::uint32_t kFormat = 264, kColumns = 8192, kRows = 32768;
constexpr std::uint32_t kRowBytes = kColumns / 32 * 34;
constexpr std::size_t kBytes = std::size_t{kRows} * kRowBytes;
constexpr std::uint32_t kSubgroups = 8, kRowsOfSubgroup = 2, kSteps = 2;
constexpr int kMostReads = 256;
constexpr Seconds kLongEnough{0.02};  // so that starting and waiting do not matter

// Multiplies a matrix by one row of activations, as decoding reads it. (A copy would not do: on an
// H200 the driver's copy is four times slower than what programs read.)
class Product {
 public:
  explicit Product(Gpu& gpu)
      : gpu_(gpu),
        w_(gpu.allocate(kBytes, Memory::device)),
        xy_(gpu.allocate(2 * kColumns + kRows * sizeof(float), Memory::device)) {
    Commands commands(gpu);
    commands.fill_with_zeros(w_, 0, kBytes);
    commands.fill_with_zeros(xy_, 0, xy_.size());
    commands.end();
    gpu.run(commands);
  }

  // The shortest of some runs. The first run finds clocks down and pages not mapped yet.
  Seconds time(int n_reads) const {
    Commands commands(gpu_);
    for (int i = 0; i < n_reads; ++i) record(commands);
    commands.end();
    Seconds least{0};
    for (int i = 0; i < 3; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      gpu_.run(commands);
      const Seconds took = std::chrono::steady_clock::now() - begin;
      least = i == 0 ? took : std::min(least, took);
      if (i == 1 && least > kLongEnough) break;
    }
    return least;
  }

 private:
  void record(Commands& commands) const {
    GpuMatrix matrix;
    matrix.data = w_.address();
    matrix.n_rows = kRows;
    matrix.n_cols = kColumns;
    matrix.row_bytes = kRowBytes;
    MatvecArguments arguments(matrix, 0);
    const std::uint64_t x = xy_.address();
    arguments.x = {.codes = x, .scales = x + kColumns, .sums = x + kColumns + kColumns / 8};
    arguments.y.codes = x + 2 * kColumns;
    const auto subgroup = static_cast<std::uint32_t>(gpu_.info().subgroup_size);
    const auto most = static_cast<std::uint32_t>(gpu_.info().n_workgroup_max) / subgroup;
    const std::uint32_t n_subgroups = std::min(kSubgroups, most);
    const std::uint32_t constants[] = {n_subgroups * subgroup, 1, kRowsOfSubgroup, 0, 0, 0, kSteps};
    const std::uint32_t n_at_once = n_subgroups * kRowsOfSubgroup;
    commands.dispatch(gpu_.program(Shader::matvec, kFormat, constants), arguments,
                      {(kRows + n_at_once - 1) / n_at_once});
    commands.barrier();
  }

  Gpu& gpu_;
  Buffer w_, xy_;
};

constexpr std::size_t kGiB = std::size_t{1} << 30;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kTileBytes = std::size_t{1} << 20;  // what a thread gets at a time
constexpr int kRounds = 3;
constexpr std::chrono::seconds kEnough{2};  // no reads begin after this time

using Clock = std::chrono::steady_clock;

struct Free {
  void operator()(std::byte* p) const noexcept { std::free(p); }
};
using HostBuffer = std::unique_ptr<std::byte, Free>;

HostBuffer allocate(std::size_t n_bytes) {
  const std::size_t whole = (n_bytes + kHugePage - 1) / kHugePage * kHugePage;
  HostBuffer buffer(static_cast<std::byte*>(std::aligned_alloc(kHugePage, whole)));
  if (!buffer) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  ::madvise(buffer.get(), whole, MADV_HUGEPAGE);  // if this is refused, pages are small
#endif
  return buffer;
}

// Reads kTileBytes in kStreams streams, prefetching kAhead bytes in advance. Uses several
// independent sums, so that additions do not wait for each other.
template <std::size_t kStreams, std::size_t kAhead>
std::uint64_t sum(const std::byte* tile) noexcept {
  constexpr std::size_t kWords = 8;  // words in a cache line
  constexpr std::size_t kStreamBytes = kTileBytes / kStreams;
  std::array<std::uint64_t, kStreams * kWords> sums{};
  for (std::size_t at = 0; at < kStreamBytes; at += kWords * sizeof(std::uint64_t)) {
    for (std::size_t s = 0; s < kStreams; ++s) {
      const std::byte* line = tile + s * kStreamBytes + at;
      if constexpr (kAhead > 0) __builtin_prefetch(line + kAhead, 0, 0);
      const auto* words = reinterpret_cast<const std::uint64_t*>(line);
      for (std::size_t i = 0; i < kWords; ++i) sums[s * kWords + i] += words[i];
    }
  }
  std::uint64_t total = 0;
  for (const std::uint64_t part : sums) total += part;
  return total;
}

class Readers {
 public:
  Readers(kernels::ThreadPool& pool, const kernels::KernelTable& table, std::size_t n_bytes)
      : pool_(pool),
        table_(table),
        n_tiles_(static_cast<int>(n_bytes / kTileBytes)),
        buffer_(allocate(n_bytes)) {
    fill();
    prepare_product();
  }

  double best_gbs() {
    const auto begun = Clock::now();
    double best = 0;
    for (int i = 0; i < 3 * kRounds && (best == 0 || Clock::now() - begun < kEnough); ++i)
      best = std::max(best, gbs_of(i % 3));
    return best;
  }

 private:
  static constexpr std::int64_t kColumns = 4096;
  static constexpr int kRowsOfAStep = 16, kMaxSteps = 32;  // as in decoding

  double gbs_of(int way) {
    if (way == 0) return gbs([&] { product(); });
    return way == 1 ? gbs([&] { read<4, 2048>(); }) : gbs([&] { read<1, 0>(); });
  }
  std::byte* tile(int i) const noexcept {
    return buffer_.get() + static_cast<std::size_t>(i) * kTileBytes;
  }
  template <typename F>
  double gbs(const F& read_all) const {
    const auto start = Clock::now();
    read_all();
    const std::chrono::duration<double> took = Clock::now() - start;
    return static_cast<double>(n_tiles_) * kTileBytes / took.count() / 1e9;
  }

  // Each worker fills what it will read, so that the memory is near it. Read as rows of Q8_0, the
  // bytes are valid numbers.
  void fill() noexcept {
    pool_.parallel_for(n_tiles_,
                       [&](int i, int) { std::fill_n(tile(i), kTileBytes, std::byte{1}); });
  }
  template <std::size_t kStreams, std::size_t kAhead>
  void read() noexcept {
    pool_.parallel_for(n_tiles_, [&](int i, int) {
      total_.fetch_add(sum<kStreams, kAhead>(tile(i)), std::memory_order_relaxed);
    });
  }

  void prepare_product() {
    const std::size_t row_bytes = kernels::row_bytes(kernels::Dtype::Q8_0, kColumns);
    matrix_ = {kernels::Dtype::Q8_0, buffer_.get(), kColumns, row_bytes};
    n_rows_ =
        static_cast<std::int64_t>(static_cast<std::size_t>(n_tiles_) * kTileBytes / row_bytes);
    y_.resize(static_cast<std::size_t>(n_rows_));
    const auto format = kernels::act_format(kernels::Dtype::Q8_0, /*exact=*/false);
    x_.resize(kernels::act_row_bytes(format, kColumns));
    const std::vector<float> ones(kColumns, 1.0F);
    table_.pack_row(format, ones.data(), kColumns, x_.data());
    activations_ = {format, x_.data(), 1, x_.size()};
  }
  // A matrix of the buffer's size times a vector, as in decoding a token.
  void product() noexcept {
    const auto n_steps = static_cast<int>((n_rows_ + kRowsOfAStep - 1) / kRowsOfAStep);
    pool_.parallel_slices(n_steps, kMaxSteps, [&](int begin, int end, int) {
      const std::int64_t row0 = std::int64_t{begin} * kRowsOfAStep;
      const std::int64_t n = std::min(std::int64_t{end} * kRowsOfAStep, n_rows_) - row0;
      table_.matmul(matrix_, row0, n, activations_, y_.data() + row0, n_rows_);
    });
  }

  kernels::ThreadPool& pool_;
  const kernels::KernelTable& table_;
  int n_tiles_;
  HostBuffer buffer_;
  std::atomic<std::uint64_t> total_{0};  // sum of all words read; only ever added to
  kernels::WeightRows matrix_{};
  std::int64_t n_rows_ = 0;
  std::vector<std::byte> x_;
  kernels::Activations activations_{};
  std::vector<float> y_;
};

std::size_t last_level_cache() noexcept {
#ifdef _SC_LEVEL3_CACHE_SIZE
  if (const long n = ::sysconf(_SC_LEVEL3_CACHE_SIZE); n > 0) return static_cast<std::size_t>(n);
#endif
  return 0;
}

}  // namespace

double measure_device_gbs(const kernels::vulkan::GpuInfo& info) try {
  Gpu gpu(info);
  const Product product(gpu);
  double best = 0;
  for (int n_reads = 1; n_reads <= kMostReads; n_reads *= 2) {
    const Seconds took = product.time(n_reads);
    best = std::max(best, n_reads * static_cast<double>(kBytes) / took.count() / 1e9);
    if (took > kLongEnough) break;
  }
  return best;
} catch (const GpuError&) {
  return 0;
}

std::size_t bytes_beyond_caches() {
  const std::uint64_t wanted = std::max<std::uint64_t>(kGiB, 4 * last_level_cache());
  const std::uint64_t quarter = engine::platform::available_memory() / 4;
  return std::max<std::uint64_t>(kTileBytes, std::min(wanted, quarter));
}

double measure_read_gbs(kernels::ThreadPool& pool, const kernels::KernelTable& table,
                        std::size_t n_bytes) {
  return Readers(pool, table, n_bytes).best_gbs();
}

}  // namespace confab::app
