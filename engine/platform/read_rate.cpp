// SPDX-License-Identifier: MIT
#include "engine/platform/read_rate.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <vector>

#include "engine/platform/descriptor.h"
#include "engine/platform/fault_guard.h"
#include "engine/platform/mapped_range.h"

namespace confab::engine::platform {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;  // about one matrix of an expert
constexpr std::size_t kAlignment = 4096;
constexpr std::int64_t kEnoughBytes = std::int64_t{256} << 20;

struct Free {
  void operator()(std::byte* p) const noexcept { std::free(p); }
};

// Some file systems, for example tmpfs, consist of the page cache alone.
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

bool any_resident(const MappedRange& piece, std::size_t page) {
#ifdef __APPLE__
  std::vector<char> flags((piece.size() + page - 1) / page);
#else
  std::vector<unsigned char> flags((piece.size() + page - 1) / page);
#endif
  if (::mincore(piece.data(), piece.size(), flags.data()) != 0) return true;
  return std::ranges::any_of(flags, [](auto flag) { return (flag & 1) != 0; });
}

// Returns how many bytes came from disk; 0 if the piece was in memory or cannot be read.
std::int64_t touch(const Descriptor& fd, std::int64_t offset) {
  void* const begin = ::mmap(nullptr, kPieceBytes, PROT_READ, MAP_SHARED, fd.get(), offset);
  if (begin == MAP_FAILED) return 0;
  const MappedRange piece({static_cast<std::byte*>(begin), kPieceBytes});
  FaultGuard guard(piece.data(), piece.size(), piece.size());
  const std::size_t page = page_bytes();
  if (!guard.arm() || any_resident(piece, page)) return 0;
  for (std::size_t at = 0; at < piece.size(); at += page)
    static_cast<void>(*static_cast<const volatile std::byte*>(piece.data() + at));
  return guard.has_lost() ? 0 : static_cast<std::int64_t>(kPieceBytes);
}

class Measurement {
 public:
  Measurement(std::int64_t n_pieces, std::chrono::milliseconds limit, const std::stop_token& stop)
      : n_pieces_(n_pieces), limit_(limit), stop_(stop) {
    // A step without a common divisor visits all pieces, far apart from each other.
    step_ = n_pieces * 5 / 8 + 1;
    while (step_ > 1 && std::gcd(step_, n_pieces) != 1) --step_;
  }

  // Bytes per second that read(offset) delivers, over the time spent in it. Calls that deliver
  // nothing do not count.
  template <typename F>
  double rate(const F& read) const {
    const auto start = Clock::now();
    std::chrono::duration<double> took{};
    std::int64_t n_read = 0;
    for (std::int64_t i = 0; i < n_pieces_ && n_read < kEnoughBytes; ++i) {
      const auto before = Clock::now();
      if (stop_.stop_requested() || (i > 0 && before - start >= limit_)) break;
      const std::int64_t n = read(i * step_ % n_pieces_ * static_cast<std::int64_t>(kPieceBytes));
      if (n > 0) took += Clock::now() - before;
      n_read += std::max<std::int64_t>(n, 0);
    }
    return took.count() > 0 ? static_cast<double>(n_read) / took.count() : 0;
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t n_pieces_;
  std::int64_t step_;
  std::chrono::milliseconds limit_;
  const std::stop_token& stop_;
};

}  // namespace

double measure_read_rate(const std::filesystem::path& file, std::chrono::milliseconds limit,
                         const std::stop_token& stop) {
  const Descriptor mapped(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (mapped.get() < 0 || ::fstat(mapped.get(), &status) != 0) return 0;
  const std::int64_t n_pieces = status.st_size / static_cast<std::int64_t>(kPieceBytes);
  if (n_pieces == 0) return 0;
  const Measurement measurement(n_pieces, limit / 2, stop);
  const double by_faults = measurement.rate([&](std::int64_t at) { return touch(mapped, at); });
  if (by_faults > 0) return by_faults;
  const Descriptor direct = open_uncached(file);
  const std::unique_ptr<std::byte, Free> piece(
      static_cast<std::byte*>(std::aligned_alloc(kAlignment, kPieceBytes)));
  if (direct.get() < 0 || !piece) return 0;
  return measurement.rate([&](std::int64_t at) {
    return static_cast<std::int64_t>(::pread(direct.get(), piece.get(), kPieceBytes, at));
  });
}

}  // namespace confab::engine::platform
