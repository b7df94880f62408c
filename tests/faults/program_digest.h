// SPDX-License-Identifier: MIT
// By what the shim in front of Vulkan knows a program.
#pragma once

#include <cstdint>
#include <span>

namespace confab::faults {

inline std::uint64_t program_digest(std::span<const std::uint32_t> words) noexcept {
  std::uint64_t digest = words.size();
  for (const std::uint32_t word : words) digest = (digest ^ word) * 0x100000001b3U;
  return digest;
}

}  // namespace confab::faults
