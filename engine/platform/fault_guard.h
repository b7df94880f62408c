// SPDX-License-Identifier: MIT
// Keeps the process alive when a mapped file is lost: truncated, or on a disk that fails or is
// unplugged. Reading such memory raises SIGBUS. The handler then gives the affected slot fresh
// memory full of zeros, lets the read continue, and records the slot as lost.
#pragma once

#include <cstddef>
#include <optional>

namespace confab::engine::platform {

class FaultGuard {
 public:
  // Most guards that can exist at a time.
  static constexpr int kMaxGuards = 2048;

  // Guards n_bytes from `begin` on, in slots of slot_bytes each; the last slot may be shorter. All
  // are multiples of the page size. The memory must stay mapped as long as the guard exists.
  FaultGuard(std::byte* begin, std::size_t n_bytes, std::size_t slot_bytes) noexcept;
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

  // Guards only the first n_bytes from now on, which must be whole slots. No thread may read the
  // memory after them.
  void cut(std::size_t n_bytes) noexcept;
  // Makes sure that the process's SIGBUS action is ours. Must be called before files are mapped,
  // and again wherever other code may have set its own action. Faults outside guarded memory go to
  // the action that was found. Returns false if too many guards exist; then nothing is guarded.
  bool arm() noexcept;
  // The first slot lost since the last call. The slots after it may be lost as well.
  std::optional<int> take_lost() noexcept;
  // Whether take_lost() would return a slot. Leaves it in place.
  bool has_lost() const noexcept;

 private:
  int place_;  // index in the table of all guards; -1 if none was free
};

}  // namespace confab::engine::platform
