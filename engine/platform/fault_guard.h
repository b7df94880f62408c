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
  // Of n_slots slots of slot_bytes each from `begin` on, aligned for all page sizes.
  FaultGuard(std::byte* begin, int n_slots, std::size_t slot_bytes) noexcept;
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

  // To be called before files are mapped: makes sure that the process's action for SIGBUS is this
  // one; faults elsewhere go to the action that it found. False: too many guards exist, and nothing
  // may be mapped.
  bool arm() noexcept;
  // The first slot lost since the last call; the ones after it may be lost as well.
  std::optional<int> take_lost() noexcept;

 private:
  int place_;  // in the table of all guards; -1: none was free
};

}  // namespace confab::engine::platform
