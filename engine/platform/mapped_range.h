// SPDX-License-Identifier: MIT
// Mapped memory: unmapping it at the end, and giving it back for a while.
#pragma once

#include <cstddef>
#include <span>

namespace confab::engine::platform {

// A range of mapped memory that is unmapped at the end. Declare its FaultGuard after it, so that
// the guard is destroyed first: the system may give the unmapped addresses to somebody else.
class MappedRange {
 public:
  // Takes over what mmap() returned; an empty span is allowed.
  explicit MappedRange(std::span<std::byte> bytes) noexcept : bytes_(bytes) {}
  ~MappedRange();
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;

  // Keeps only the first n_bytes for use. The hole_bytes right after them are given up, because
  // their addresses may belong to somebody else. The rest stays mapped until the end.
  void cut(std::size_t n_bytes, std::size_t hole_bytes) noexcept;

  std::byte* data() const noexcept { return bytes_.data(); }
  std::size_t size() const noexcept { return bytes_.size(); }

 private:
  std::span<std::byte> bytes_;
  std::span<std::byte> behind_ = {};  // the part after the hole
};

// The system's page size in bytes: a power of two, at most 64 KiB.
std::size_t page_bytes() noexcept;

// Gives the whole pages in this range back to the system; the addresses stay valid. The contents of
// private memory are lost: it reads as zeros or as before, and takes memory again when it is
// written to. Pages of a file mapped for reading come back from the file, which needs no disk
// access while the system still caches them.
void give_back(std::span<std::byte> bytes) noexcept;

// Asks the system to start reading the part of a file that is mapped here. Returns at once.
void read_soon(std::span<const std::byte> bytes) noexcept;

}  // namespace confab::engine::platform
