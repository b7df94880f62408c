// SPDX-License-Identifier: MIT
// Memory that was mapped, unmapped at the end. A FaultGuard of it is declared after it: an address
// that the system has given to somebody else must not be guarded any more.
#pragma once

#include <cstddef>
#include <span>

namespace confab::engine::platform {

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

}  // namespace confab::engine::platform
