// SPDX-License-Identifier: MIT
#include "engine/platform/read_rate.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>

#include "engine/platform/descriptor.h"

namespace confab::engine::platform {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;  // as much as a matrix of an expert
constexpr std::size_t kAlignment = 4096;
constexpr std::int64_t kEnoughBytes = std::int64_t{256} << 20;

struct Free {
  void operator()(std::byte* p) const noexcept { std::free(p); }
};

// Some file systems (tmpfs) have nothing but the page cache.
Descriptor open_uncached(const std::filesystem::path& file) {
#ifdef O_DIRECT
  Descriptor direct(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT));
  if (direct.get() >= 0) return direct;
#endif
  Descriptor plain(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
#ifdef F_NOCACHE
  if (plain.get() >= 0) ::fcntl(plain.get(), F_NOCACHE, 1);
#endif
  return plain;
}

}  // namespace

double measure_read_rate(const std::filesystem::path& file, std::chrono::milliseconds limit,
                         const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  const Descriptor fd = open_uncached(file);
  struct stat status {};
  if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0) return 0;
  const std::unique_ptr<std::byte, Free> piece(
      static_cast<std::byte*>(std::aligned_alloc(kAlignment, kPieceBytes)));
  const std::int64_t n_pieces = status.st_size / static_cast<std::int64_t>(kPieceBytes);
  if (!piece || n_pieces == 0) return 0;
  // A step without a common divisor comes to all pieces, far from each other.
  std::int64_t step = n_pieces * 5 / 8 + 1;
  while (step > 1 && std::gcd(step, n_pieces) != 1) --step;
  const auto start = Clock::now();
  std::int64_t n_read = 0;
  for (std::int64_t i = 0; i < n_pieces && n_read < kEnoughBytes; ++i) {
    if (stop.stop_requested() || (i > 0 && Clock::now() - start >= limit)) break;
    const auto offset = static_cast<off_t>(i * step % n_pieces) * static_cast<off_t>(kPieceBytes);
    const ssize_t n = ::pread(fd.get(), piece.get(), kPieceBytes, offset);
    if (n <= 0) break;
    n_read += n;
  }
  const std::chrono::duration<double> took = Clock::now() - start;
  return n_read > 0 && took.count() > 0 ? static_cast<double>(n_read) / took.count() : 0;
}

}  // namespace confab::engine::platform
