// SPDX-License-Identifier: MIT
// A record of the programs that a device was given to run in a pass.
#pragma once

#include <cstdint>
#include <string>

namespace confab::engine {

// A program that ran once.
struct ProgramRun {
  std::string program;  // name of its file in kernels/vulkan/shaders
  std::string format;   // of the weights it reads; empty if it reads none
  int n_instructions;   // of its SPIR-V, before the driver compiles it
  std::uint64_t weight_bytes;
  std::uint64_t cache_bytes;  // keys and values read or written
  double nanoseconds = 0;     // 0 if the device has no time stamps
};

}  // namespace confab::engine
