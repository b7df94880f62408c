// SPDX-License-Identifier: MIT
// Memory that is mapped: unmapped at the end, or given back for now.
#pragma once

#include <cstddef>
#include <span>

namespace confab::engine::platform {

// Memory that was mapped, unmapped at the end. A FaultGuard of it is declared after it: an address
// that the system has given to somebody else must not be guarded any more.
class MappedRange {
 public:
  // Takes over what mmap() gave; empty: nothing.
  explicit MappedRange(std::span<std::byte> bytes) noexcept : bytes_(bytes) {}
  ~MappedRange();
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;

  // Leaves only the first n_bytes for use. The hole of hole_bytes right behind them is given up:
  // its addresses may be somebody else's. What follows stays mapped to the end.
  void cut(std::size_t n_bytes, std::size_t hole_bytes) noexcept;

  std::byte* data() const noexcept { return bytes_.data(); }
  std::size_t size() const noexcept { return bytes_.size(); }

 private:
  std::span<std::byte> bytes_;
  std::span<std::byte> behind_ = {};  // a hole
};

// What the system gives and takes memory by, in bytes: a power of two, 64 KiB at most.
std::size_t page_bytes() noexcept;

// Gives memory that is not needed for now back to the system, while its addresses stay as they are:
// the whole pages in this range. What was in memory of one's own is lost: it reads as zeros, or
// as it was, and takes memory again as it is written to. Pages of a file that is mapped for reading
// come from there again, which costs no reading as long as the system has them in its cache.
void give_back(std::span<std::byte> bytes) noexcept;

// Lets the system begin to read the part of a file that is mapped there. Returns at once.
void read_soon(std::span<const std::byte> bytes) noexcept;

}  // namespace confab::engine::platform
