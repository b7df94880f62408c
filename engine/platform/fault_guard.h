// SPDX-License-Identifier: MIT
// Survives the loss of a file under a mapping: truncated by somebody, on a disk that fails or was
// unplugged. The system answers a read of such memory with SIGBUS; here the slot that it is in gets
// memory of its own, full of zeros, the read goes on, and the slot is reported as lost.
#pragma once

#include <cstddef>
#include <optional>

namespace confab::engine::platform {

class FaultGuard {
 public:
  // So many may exist at a time.
  static constexpr int kMaxGuards = 2048;

  // Of the n_bytes from `begin` on in slots of slot_bytes each, the last one shorter. All are
  // multiples of the page size. The memory must be mapped as long as the guard exists.
  FaultGuard(std::byte* begin, std::size_t n_bytes, std::size_t slot_bytes) noexcept;
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

  // From now on only of the first n_bytes, in whole slots. No thread may read what is behind them.
  void cut(std::size_t n_bytes) noexcept;
  // To be called before files are mapped, and again where somebody may have set an action of his
  // own: makes sure that the process's action for SIGBUS is this one; faults elsewhere go to the
  // action that it found. False: too many guards exist, and nothing is guarded.
  bool arm() noexcept;
  // The first slot lost since the last call; the ones after it may be lost as well.
  std::optional<int> take_lost() noexcept;
  // Whether there is such a slot, which stays to be taken.
  bool has_lost() const noexcept;

 private:
  int place_;  // in the table of all guards; -1: none was free
};

}  // namespace confab::engine::platform
