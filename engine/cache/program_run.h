// SPDX-License-Identifier: MIT
// What a device was given to do in a pass, by what was recorded of it.
#pragma once

#include <cstdint>
#include <string>

namespace confab::engine {

// A program that ran once.
struct ProgramRun {
  std::string program;  // the name of its file in kernels/vulkan/shaders
  std::string format;   // of the weights that it reads; empty: it reads none
  int n_instructions;   // of its SPIR-V, before the driver has it
  std::uint64_t weight_bytes;
  std::uint64_t cache_bytes;  // keys and values that it reads or writes
  double nanoseconds = 0;     // 0: the device has no time stamps
};

}  // namespace confab::engine
