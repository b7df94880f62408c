// SPDX-License-Identifier: MIT
// What may end a rendering besides the template itself and what it uses up.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "engine/error.h"

namespace confab::engine {

// Whoever asked for the rendering has stopped it.
class Stopped : public ModelError {
 public:
  using ModelError::ModelError;
};

struct RenderWatch {
  std::stop_token stop = {};
  // By which its time is measured; empty: what the rendering thread has computed, so that a
  // template is refused for what it does and not for what else the machine is busy with.
  std::function<std::chrono::nanoseconds()> clock = {};
};

}  // namespace confab::engine
