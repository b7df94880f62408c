// SPDX-License-Identifier: MIT
// Ways to end a rendering from outside, and the clock that measures it.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "engine/error.h"

namespace confab::engine {

// Thrown when the caller has stopped the rendering.
class Stopped : public ModelError {
 public:
  using ModelError::ModelError;
};

struct RenderWatch {
  std::stop_token stop = {};
  // Measures the time of the rendering. If it is empty, the CPU time of the rendering thread is
  // used, so that a busy machine does not make a template exceed its limit.
  std::function<std::chrono::nanoseconds()> clock = {};
};

}  // namespace confab::engine
